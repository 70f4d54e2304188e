// Reconciles with an HTTP provider: the provider's list is read once for many payouts, and an interrupted read is
// resumed.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { eq, inArray, sql } from "drizzle-orm";
import { intent } from "#core/db/schema/intents.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { type SimulatedProvider, startProvider } from "#scripts/provider/provider.ts";
import { until } from "#scripts/shared/wait.ts";
import { createPayoutHandler } from "#settlement/payouts/pay-out.ts";
import { reconcile } from "#settlement/reconciliation/reconcile.ts";
import { bridgeTo } from "./support/bridge.ts";
import { addCopies } from "./support/copies.ts";
import { settledWorld } from "./support/settled-world.ts";
import { OFF_RAMP, type World } from "./support/world.ts";

const PAYOUTS = 300;
/**
 * Number of requests to read the list: pages of 100 transfers, a page that shows the end, and the wallet verification.
 */
const ONE_READING = PAYOUTS / 100 + 3;
const BANK = { method: "OFF_RAMP_TO_BANK", destination: "bank_account_123" } as const;

let provider: SimulatedProvider;
let world: World;
let since: Date;

beforeAll(async () => {
  since = new Date(Date.now() - 60_000);
  provider = startProvider({ webhookUrl: "http://127.0.0.1:9", walletAddress: OFF_RAMP, minMs: 0, maxMs: 0 });
  provider.faults.webhooks.silent = true;
  const made = await settledWorld([BANK], (database) => bridgeTo(database, provider, { timeoutMs: 4_000 }));
  ({ world } = made);
  const { database } = world.context;
  const [only] = await database.select().from(payout);
  if (!only) throw new Error("There is no payout.");
  const { intentId } = only;
  const orderId = `0x${intentId.slice(7)}` as const;
  const [row] = await database
    .execute(sql`select terms from gateway.intent where id = ${sql.param(intentId, intent.id)}`)
    .then(({ rows }) => rows as { terms: never }[]);
  if (!row) throw new Error("There is no intent.");
  await addCopies(database, { id: intentId, orderId, terms: row.terms }, { count: PAYOUTS - 1 });
  const copies = sql`(select n, md5('' || n) || md5('' || -n) as hex from generate_series(1, ${PAYOUTS - 1}::int) n) copy`;
  await database.execute(sql`
    insert into chain.settlement select s.* from ${copies}, chain.settlement t, jsonb_populate_record(t,
      jsonb_build_object('order_id', '\\x' || hex)) s
    where t.order_id = ${sql.param(intentId, intent.id)}`);
  await database.execute(sql`
    insert into gateway.payout select p.* from ${copies}, gateway.payout t, jsonb_populate_record(t,
      jsonb_build_object('id', gen_random_uuid(), 'reference', gen_random_uuid(), 'intent_id', '\\x' || hex)) p
    where t.id = ${sql.param(only.id, payout.id)}`);
  const ids = (await database.select({ id: payout.id }).from(payout)).map(({ id }) => id);
  const pay = createPayoutHandler(world.context, () => undefined, { leaseMs: 90_000, answerMs: 25_000 });
  await until(
    async () => {
      await pay(ids);
      return (await database.$count(payout, eq(payout.state, "completed"))) === PAYOUTS;
    },
    { what: "The payouts", timeoutMs: 120_000 },
  );
}, 180_000);
afterAll(async () => {
  await world?.close();
  await provider?.stop();
});

/** Returns the findings about the provider's transfers, and the number of requests. */
async function compared() {
  const before = provider.requests();
  const found = await reconcile(world.context, { since }, 0);
  return {
    kinds: found.map(({ kind }) => kind).filter((kind) => kind.endsWith("_transfer")),
    requests: provider.requests() - before,
  };
}

describe("the provider's list", () => {
  it("is read once for 300 payouts, without querying single payouts", async () => {
    const { kinds, requests } = await compared();
    expect(kinds).to.deep.equal([]);
    expect(requests).to.be.at.most(ONE_READING);
  }, 60_000);

  it("is not read again for differences: the provider is queried only for those transfers", async () => {
    const { database } = world.context;
    const some = await database.select().from(payout).limit(2);
    const ids = some.map(({ id }) => id);
    await database.update(payout).set({ fee: 1n }).where(inArray(payout.id, ids));
    const { kinds, requests } = await compared();
    await database.update(payout).set({ fee: 0n }).where(inArray(payout.id, ids));
    expect(kinds).to.deep.equal(["different_transfer", "different_transfer"]);
    expect(requests).to.be.at.most(ONE_READING + ids.length);
  }, 60_000);

  it("continues after a listed transfer, and restarts if that transfer is gone", async () => {
    const offRamp = world.context.offRamps("OFF_RAMP_TO_BANK");
    if (!offRamp) throw new Error("There is no adapter.");
    const all = (await Array.fromAsync(offRamp.transfers({ since }))).map(({ providerId }) => providerId);
    expect(all).to.have.length(PAYOUTS);
    const rest = await Array.fromAsync(offRamp.transfers({ since, after: all[120] ?? "" }));
    expect(rest.map(({ providerId }) => providerId)).to.deep.equal(all.slice(121));
    expect(await Array.fromAsync(offRamp.transfers({ since, after: "transfer_gone" }))).to.have.length(
      PAYOUTS,
    );
  }, 60_000);
});
