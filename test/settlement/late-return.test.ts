// A bank returns money after the return window, when the payout is no longer polled. The gateway still detects, posts,
// emits and shows the return.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { and, eq, sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { auditLog } from "#core/db/schema/audit-log.ts";
import { event } from "#core/db/schema/events.ts";
import { intent } from "#core/db/schema/intents.ts";
import { ledgerPosting } from "#core/db/schema/ledger.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { reconciliation } from "#core/db/schema/reconciliations.ts";
import { type SimulatedProvider, startProvider } from "#scripts/provider/provider.ts";
import { until } from "#scripts/shared/wait.ts";
import { createPoster } from "#settlement/ledger/post.ts";
import { createWebhookReceiver } from "#settlement/off-ramp/receive-webhook.ts";
import { createPayoutHandler } from "#settlement/payouts/pay-out.ts";
import { createScheduledReconciler } from "#settlement/reconciliation/on-schedule.ts";
import { bridgeTo } from "./support/bridge.ts";
import { createFullObserver } from "./support/full-observer.ts";
import { settledWorld, stateOf } from "./support/settled-world.ts";
import { OFF_RAMP, type World } from "./support/world.ts";

const BANK = { method: "OFF_RAMP_TO_BANK", destination: "bank_account_123" } as const;
const DAY = 86_400_000;

let provider: SimulatedProvider;
let world: World;
let database: Database;
let ids: string[];
let pay: (some: string[]) => Promise<void>;
let observe: () => Promise<void>;
let post: () => Promise<void>;
let relay: ReturnType<typeof Bun.serve>;

beforeAll(async () => {
  let receive: ReturnType<typeof createWebhookReceiver>;
  relay = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      await receive?.(request.headers, new Uint8Array(await request.arrayBuffer()));
      return new Response();
    },
  });
  provider = startProvider({
    webhookUrl: `http://127.0.0.1:${relay.port}`,
    walletAddress: OFF_RAMP,
    minMs: 0,
    maxMs: 0,
  });
  provider.faults.webhooks.silent = true;
  ({ world, ids } = await settledWorld([BANK, BANK], (given) => bridgeTo(given, provider)));
  const { context } = world;
  ({ database } = context);
  receive = createWebhookReceiver(context, () => undefined);
  pay = createPayoutHandler(context, () => undefined);
  observe = createFullObserver(context);
  post = createPoster(context, 0);
  await until(
    async () => {
      await pay(ids);
      return (await rows()).every((row) => row?.state === "completed");
    },
    { what: "The payouts", timeoutMs: 20_000 },
  );
  // Simulates payouts whose return windows have ended.
  await database
    .update(payout)
    .set({ finalAt: new Date(Date.now() - DAY), nextAttemptAt: sql`clock_timestamp()` });
  await pay(ids);
  await observe();
  await post();
});
afterAll(async () => {
  await world?.close();
  await provider?.stop();
  await relay?.stop(true);
});

const rows = () => Promise.all(ids.map((id) => stateOf(database, id)));

async function factsOf(id: string) {
  const row = await stateOf(database, id);
  const [subject] = await database
    .select()
    .from(intent)
    .where(eq(intent.id, row?.intentId ?? "intent_"));
  const types = await database
    .select({ type: event.type })
    .from(event)
    .where(eq(event.intentId, row?.intentId ?? "intent_"))
    .orderBy(event.sequence);
  const audited = await database
    .select({ action: auditLog.action })
    .from(auditLog)
    .where(and(eq(auditLog.resourceId, id), eq(auditLog.action, "payout.returned")));
  const posted = await database
    .select({ kind: ledgerPosting.kind, amount: ledgerPosting.amount })
    .from(ledgerPosting)
    .where(eq(ledgerPosting.payoutId, id))
    .orderBy(ledgerPosting.createdAt);
  return {
    ...{ payout: row?.state, nextAttemptAt: row?.nextAttemptAt, intent: subject?.lastEmittedStatus },
    last: types.slice(-2).map(({ type }) => type),
    audited: audited.length > 0,
    posted: posted.map(({ kind }) => kind),
  };
}

/** Runs the workers, like the settlement role. */
async function workOn(id: string): Promise<void> {
  await pay([id]);
  await observe();
  await post();
}

const CAME_BACK = {
  ...{ payout: "returned", nextAttemptAt: null, intent: "REQUIRES_ACTION", audited: true },
  last: ["payout.returned", "payment_intent.requires_action"],
  posted: ["paid", "payout_returned"],
};

describe("a payout that is returned after it was final", () => {
  it("was final until then", async () => {
    for (const id of ids) {
      expect(await factsOf(id)).to.deep.include({
        payout: "completed",
        nextAttemptAt: null,
        intent: "FINAL",
      });
    }
  });

  it("is posted, emitted, recorded and shown when the provider's webhook reports it", async () => {
    const [id = ""] = ids;
    provider.faults.webhooks.silent = false;
    await provider.giveBack((await stateOf(database, id))?.reference ?? "");
    await until(async () => (await stateOf(database, id))?.nextAttemptAt !== null, {
      what: "The payout being due",
      timeoutMs: 5_000,
    });
    await workOn(id);
    expect(await factsOf(id)).to.deep.equal(CAME_BACK);
  });

  it("is also shown without a webhook, as soon as a scheduled reconciliation reports it", async () => {
    const [, id = ""] = ids;
    provider.faults.webhooks.silent = true;
    await provider.giveBack((await stateOf(database, id))?.reference ?? "");
    await workOn(id);
    expect(await factsOf(id)).to.deep.include({ payout: "completed", intent: "FINAL" });
    await createScheduledReconciler(world.context, 0)();
    const [found] = await database.select().from(reconciliation);
    expect(found?.differences).to.include({ different_transfer: 1 });
    await workOn(id);
    expect(await factsOf(id)).to.deep.equal(CAME_BACK);
  });
});
