// A payout's provider calls: each call has one idempotency key. A new key is used only if the last call was definitely
// rejected and the provider's list does not contain the transfer.
import { afterEach, describe, it } from "bun:test";
import { expect } from "chai";
import { eq } from "drizzle-orm";
import { auditLog } from "#core/db/schema/audit-log.ts";
import { type PayoutState, payout } from "#core/db/schema/payouts.ts";
import { approve, ask } from "#scripts/cli/ops/approve.ts";
import { CONTROLLED } from "#scripts/cli/ops/controlled.ts";
import { type SimulatedProvider, startProvider } from "#scripts/provider/provider.ts";
import { until } from "#scripts/shared/wait.ts";
import { type OffRamp, type Transfer, TransferDeclined } from "#settlement/off-ramp/off-ramp.ts";
import { createPayoutHandler } from "#settlement/payouts/pay-out.ts";
import { writeControl } from "#settlement/payouts/read-controls.ts";
import { bridgeTo } from "./support/bridge.ts";
import { settledWorld, stateOf } from "./support/settled-world.ts";
import { OFF_RAMP, type World } from "./support/world.ts";

const BANK = { method: "OFF_RAMP_TO_BANK", destination: "bank_account_123" } as const;

let open: { world: World; provider?: SimulatedProvider } | undefined;
afterEach(async () => {
  await open?.provider?.stop();
  await open?.world.close();
  open = undefined;
});

/** Starts a payout worker with an adapter. */
async function startWorker(make: Parameters<typeof settledWorld>[1]) {
  const { world, ids } = await settledWorld([BANK], make);
  open = { world };
  const [id = ""] = ids;
  const { context } = world;
  const { database } = context;
  const pay = createPayoutHandler(world.context, () => undefined, { leaseMs: 8_000, answerMs: 2_000 });
  const row = () => stateOf(database, id);
  /** Makes the payout due, and runs the worker. */
  async function poll() {
    await database.update(payout).set({ nextAttemptAt: new Date() }).where(eq(payout.id, id));
    await pay(ids);
    return row();
  }
  const reaches = (state: PayoutState) =>
    until(async () => (await poll())?.state === state, {
      what: `The payout being ${state}`,
      timeoutMs: 20_000,
    });
  return { context, database, id, row, poll, reaches };
}

/** @param keysLastMs how long the provider stores the response of an Idempotency-Key; after that, it rejects the key */
async function startProvided(keysLastMs?: number) {
  const provider = startProvider({
    ...{ webhookUrl: "http://127.0.0.1:1", walletAddress: OFF_RAMP, minMs: 50, maxMs: 100 },
    ...(keysLastMs !== undefined && { keysLastMs }),
  });
  const worker = await startWorker((database) =>
    bridgeTo(database, provider, { timeoutMs: 1_500, lookUpAfterMs: 0 }),
  );
  open = { ...open, provider } as typeof open;
  return { provider, ...worker };
}

const ordered = (provider: SimulatedProvider) => provider.transfers().length;

describe("D2: a payout whose first call was rejected for insufficient funds", () => {
  it("waits unambiguously, and is paid once as soon as there are funds", async () => {
    const { provider, poll, reaches, row } = await startProvided();
    provider.faults.short = true;
    expect(await poll()).to.include({ state: "created", providerId: null, declinedCalls: 1 });
    expect(await poll()).to.include({ state: "created", providerId: null, declinedCalls: 2 });
    provider.faults.short = false;
    await reaches("completed");
    expect(ordered(provider)).to.equal(1);
    expect(provider.paid().get((await row())?.reference ?? "")).to.equal(1);
  });

  it("is paid once even if the funds arrive after the rejected call's key has expired", async () => {
    const { provider, poll, reaches } = await startProvided(-1);
    provider.faults.short = true;
    await poll();
    provider.faults.short = false;
    await reaches("completed");
    expect(ordered(provider)).to.equal(1);
  });

  it("is blocked if the rejection was lost until its key expired, and is unblocked by `ops reorder`", async () => {
    const { provider, poll, reaches, row, id, context } = await startProvided(-1);
    const { database, offRamps } = context;
    Object.assign(provider.faults, { short: true, losesAnswers: true });
    await reaches("quarantined");
    expect((await row())?.spentCall).to.equal(null);
    Object.assign(provider.faults, { short: false, losesAnswers: false });
    const chain = async () => context;
    const parts = { database, offRamps: async () => offRamps, feeBearer: "merchant" as const, chain };
    const reorder = () => ask(parts, CONTROLLED, "reorder", { subject: id, arguments: {}, by: "Ada" });
    const refusal = await reorder().catch((error: Error) => error.message);
    expect(refusal).to.include("only a quarantined payout");
    const isSpent = async () => (await poll())?.spentCall === 1;
    for (let polls = 0; polls < 2; polls++) {
      await until(isSpent, { what: "The key being refused", timeoutMs: 20_000 });
      const blocked = await row();
      expect(blocked).to.include({ state: "quarantined", declinedCalls: 0, spentCall: 1 });
      expect(blocked?.blocked).to.include("ops -- reorder");
    }
    expect(ordered(provider)).to.equal(0);
    await writeControl(database, "approval", "0", "Ada");
    const { operation, waits } = await reorder();
    expect(waits).to.equal(true);
    expect((await row())?.spentCall).to.equal(1);
    await approve(parts, CONTROLLED, operation, "Grace");
    await reaches("completed");
    expect(ordered(provider)).to.equal(1);
    expect((await row())?.blocked).to.equal(null);
    const noted = await database
      .select({ actor: auditLog.actor, action: auditLog.action })
      .from(auditLog)
      .where(eq(auditLog.resourceId, id));
    expect(noted).to.deep.include({ actor: "Ada", action: "payout.reorder" });
  });
});

describe("a provider call", () => {
  type Answer = "lost" | "declined" | "accepted";

  /** Creates an adapter that responds to calls as configured and records their numbers. */
  function createAdapter() {
    const calls: number[] = [];
    const adapter = { answer: "lost" as Answer, lists: true, calls };
    const offRamp: OffRamp = {
      account: "scripted",
      hasWallets: false,
      atOnce: 1,
      lookUpAfterMs: 0,
      quote: () => ({ fee: 0n, seconds: 1 }),
      async lookUp() {
        if (!adapter.lists) throw new Error("The list is not complete.");
        return undefined;
      },
      async create({ reference, amount, currency, call = 1 }): Promise<Transfer> {
        calls.push(call);
        if (adapter.answer === "lost") throw new Error("No answer.");
        if (adapter.answer === "declined") throw new TransferDeclined("declined");
        const transfer = {
          providerId: "transfer",
          reference,
          amount,
          currency,
          fee: 0n,
          state: "pending" as const,
        };
        return { ...transfer, createdAt: new Date(), completedAt: null, failure: null, nextPollAt: null };
      },
      cancel: () => Promise.reject(new Error("Too late.")),
      async *transfers() {},
    };
    return { adapter, offRamp };
  }

  it("with an unknown outcome is retried as the same call", async () => {
    const { adapter, offRamp } = createAdapter();
    const { poll } = await startWorker(() => offRamp);
    expect(await poll()).to.include({ state: "quarantined" });
    await poll();
    adapter.answer = "accepted";
    expect(await poll()).to.include({ state: "submitted" });
    expect(adapter.calls).to.deep.equal([1, 1, 1]);
  });

  it("that was rejected is followed by another only if the provider's list is complete", async () => {
    const { adapter, offRamp } = createAdapter();
    const { poll } = await startWorker(() => offRamp);
    adapter.answer = "declined";
    await poll();
    Object.assign(adapter, { answer: "lost", lists: false });
    await poll();
    expect(adapter.calls).to.deep.equal([1]);
    adapter.lists = true;
    await poll();
    await poll();
    expect(adapter.calls).to.deep.equal([1, 2, 2]);
  });
});
