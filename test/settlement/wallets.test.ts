// An off-ramp wallet that holds less than its payouts need: they wait until it has enough.
import { afterEach, describe, it, spyOn } from "bun:test";
import { expect } from "chai";
import { eq, sql } from "drizzle-orm";
import { getAddress, numberToHex } from "viem";
import { settlement } from "#core/db/chain.ts";
import { offRampWallet } from "#core/db/schema/off-ramp.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { tryPayoutsAgain } from "#core/payouts/try-again.ts";
import { createMetrics } from "#settlement/metrics.ts";
import type { OffRamp } from "#settlement/off-ramp/off-ramp.ts";
import { createPayoutHandler } from "#settlement/payouts/pay-out.ts";
import { testDatabase } from "#test/support/stack.ts";
import { gullibleBank, openBook, paidTimes } from "./support/gullible-bank.ts";
import type { TestIntent } from "./support/intents.ts";
import { insertPayout } from "./support/payouts.ts";
import { makeWorld, PAYER, type World } from "./support/world.ts";

const HUNDRED = 100_000_000n;

let world: World;
let balance: bigint;
let looked: number;
afterEach(() => world.close());

async function start(change: (bank: OffRamp) => OffRamp = (bank) => bank) {
  looked = 0;
  world = await makeWorld(await testDatabase(), {
    answers: {
      eth_call() {
        looked++;
        return numberToHex(balance, { size: 32 });
      },
    },
    offRamps: (database) => {
      const bank = change(gullibleBank(database));
      return () => bank;
    },
  });
  await openBook(world.context.database);
}

/** A confirmed settled order of a hundred, and its payout. */
async function toPay(): Promise<TestIntent & { payoutId: string }> {
  const made = await world.addIntent({ lastEmittedStatus: "SUCCEEDED" });
  await world.chain.fund(made.orderId, made.terms, 1, PAYER);
  await world.chain.settle(made.orderId, made.terms, 10);
  await world.chain.head(20);
  return { ...made, payoutId: await insertPayout(world.context.database, made) };
}

const rowOf = async (id: string) => {
  const [row] = await world.context.database.select().from(payout).where(eq(payout.id, id));
  return row;
};

/** The payout was returned minus the fee, and its merchant retries it. @returns the next attempt's id */
async function retried(
  made: TestIntent & { payoutId: string },
  more: { fee?: bigint; refunded?: boolean } = {},
) {
  const { database, deployment } = world.context;
  await database
    .update(payout)
    .set({ state: "returned", account: "gullible", nextAttemptAt: null, ...more })
    .where(eq(payout.id, made.payoutId));
  const [payoutId = ""] = await database.transaction((tx) =>
    tryPayoutsAgain(tx, deployment, made.id, world.context.config.returnFeeBearer),
  );
  return { ...made, payoutId };
}

/** Ends every payout's delay. */
async function pay(...due: { payoutId: string }[]): Promise<number> {
  const { database } = world.context;
  await database.update(payout).set({ nextAttemptAt: sql`clock_timestamp()` });
  await createPayoutHandler(world.context, () => undefined)(due.map(({ payoutId }) => payoutId));
  return (await paidTimes(database)).size;
}

/**
 * The same process executes these payouts one after the other, within the time for which it caches the balances.
 * @param debited what the wallet holds before them, if the provider debits each at once; by default its balance stays
 */
async function payInTurn(due: { payoutId: string }[], debited?: bigint): Promise<number> {
  const { database } = world.context;
  await database.update(payout).set({ nextAttemptAt: sql`clock_timestamp()` });
  const handle = createPayoutHandler(world.context, () => undefined);
  for (const { payoutId } of due) {
    await handle([payoutId]);
    const paid = (await paidTimes(database)).size;
    if (debited !== undefined) balance = debited - BigInt(paid) * HUNDRED;
  }
  return (await paidTimes(database)).size;
}

async function shortfall(): Promise<number | undefined> {
  const { database, client, config } = world.context;
  const { contract, tokens } = config.chain;
  const registry = createMetrics({
    ...{ database, client, operator: config.operator, guardian: undefined },
    watched: { contract, tokens, offRamp: config.offRamp },
  });
  const metric = await registry.getSingleMetric("off_ramp_shortfall")?.get();
  return metric?.values[0]?.value;
}

describe("a wallet that lacks funds", () => {
  it("pays the oldest, reports it, and pays all once it has enough", async () => {
    await start();
    const due = [await toPay(), await toPay()];
    balance = 2n * HUNDRED - 1n;
    const [oldest] = due.toSorted((a, b) => (a.payoutId < b.payoutId ? -1 : 1));
    expect(await shortfall()).to.equal(1);
    expect(await pay(...due)).to.equal(1);
    expect((await rowOf(oldest?.payoutId ?? ""))?.state).to.equal("completed");
    balance = HUNDRED;
    expect(await shortfall()).to.equal(0);
    expect(await pay(...due)).to.equal(2);
  });

  it("does not spend a balance twice that was read before an older payout was made", async () => {
    await start();
    const due = [await toPay(), await toPay()];
    balance = 2n * HUNDRED - 1n;
    const [older, newer] = due.toSorted((a, b) => (a.payoutId < b.payoutId ? -1 : 1));
    if (!older || !newer) throw new Error("There are two.");
    expect(await payInTurn([older, newer], balance)).to.equal(1);
    expect((await rowOf(newer.payoutId))?.state).to.equal("created");
  });

  it("grants what is left once, although the provider turns out to know none of two payouts", async () => {
    await start();
    const due = [await toPay(), await toPay()];
    await world.context.database.update(payout).set({ state: "quarantined" });
    balance = 2n * HUNDRED - 1n;
    expect(await payInTurn(due)).to.equal(1);
  });

  it("counts payouts that were moved to it, in either case of its address", async () => {
    await start();
    const { database, config } = world.context;
    const [settledHere, moved] = [await toPay(), await toPay()];
    const elsewhere = "0x000000000000000000000000000000000000dEaD";
    await database
      .update(settlement)
      .set({ offRamp: sql`lower(${config.offRamp})` })
      .where(eq(settlement.orderId, settledHere.orderId));
    await database
      .update(settlement)
      .set({ offRamp: elsewhere })
      .where(eq(settlement.orderId, moved.orderId));
    await database.insert(offRampWallet).values({
      account: "gullible",
      address: getAddress(config.offRamp),
      walletId: "w1",
      settings: "confirmed",
    });
    await database
      .update(payout)
      .set({ account: "gullible", wallet: "w1" })
      .where(eq(payout.id, moved.payoutId));
    balance = 2n * HUNDRED - 1n;
    expect(await shortfall()).to.equal(1);
  });

  it("does not depend on earlier payments, or on what a reorg removed", async () => {
    await start();
    balance = 2n * HUNDRED;
    const [paid, gone] = [await toPay(), await toPay()];
    expect(await pay(paid)).to.equal(1);
    await world.chain.vanish(gone.orderId);
    balance = HUNDRED;
    const next = await toPay();
    expect(await shortfall()).to.equal(0);
    expect(await pay(gone, next)).to.equal(2);
  });

  it("holds back a payout that the provider does not know after all, unless it can pay that too", async () => {
    await start();
    const [uncertain, other] = [await toPay(), await toPay()];
    await world.context.database
      .update(payout)
      .set({ state: "quarantined" })
      .where(eq(payout.id, uncertain.payoutId));
    balance = 2n * HUNDRED - 1n;
    expect(await pay(uncertain)).to.equal(0);
    expect(await pay(other)).to.equal(1);
    balance = HUNDRED;
    expect(await pay(uncertain)).to.equal(2);
  });
});

describe("a returned payout that is retried (D3)", () => {
  it("waits for its own funds, without delaying other payouts", async () => {
    await start();
    balance = HUNDRED;
    const back = await toPay();
    expect(await pay(back)).to.equal(1);
    const retry = await retried(back);
    const others = [await toPay(), await toPay()];
    balance = 2n * HUNDRED;
    expect(await pay(retry)).to.equal(1);
    expect(await pay(...others)).to.equal(3);
    balance = 0n;
    expect(await pay(retry)).to.equal(3);
    balance = HUNDRED;
    expect(await pay(retry)).to.equal(4);
  });

  it("pays the amount minus the fee, which settles the payment", async () => {
    await start();
    balance = HUNDRED;
    const back = await toPay();
    await pay(back);
    const retry = await retried(back, { fee: 2_000_000n });
    expect(await rowOf(retry.payoutId)).to.include({ amount: 98_000_000n, deducted: 2_000_000n });
    balance = 98_000_000n;
    expect(await pay(retry)).to.equal(2);
    expect((await world.context.reader.find(back.id))?.status).to.equal("SETTLED");
  });

  it("pays the full amount if the gateway bears the fee", async () => {
    await start();
    world.context.config.returnFeeBearer = "gateway";
    balance = HUNDRED;
    const back = await toPay();
    await pay(back);
    const retry = await retried(back, { fee: 2_000_000n });
    expect(await rowOf(retry.payoutId)).to.include({ amount: HUNDRED, covered: 2_000_000n });
    balance = 98_000_000n;
    expect(await pay(retry)).to.equal(1);
    balance = HUNDRED;
    expect(await pay(retry)).to.equal(2);
  });

  it("is not paid from what a provider has kept beyond another one's amount", async () => {
    await start();
    balance = 2n * HUNDRED;
    const [back, other] = [await toPay(), await toPay()];
    await pay(back, other);
    const { database } = world.context;
    await database
      .update(payout)
      .set({ state: "returned", account: "gullible", nextAttemptAt: null, fee: 2n * HUNDRED })
      .where(eq(payout.id, other.payoutId));
    const retry = await retried(back);
    balance = HUNDRED - 1n;
    expect(await pay(retry)).to.equal(2);
    balance = HUNDRED;
    expect(await pay(retry)).to.equal(3);
  });

  it("does not use funds owed to another failed payout, or to settlements without a payout", async () => {
    await start();
    balance = HUNDRED;
    const [back, failed] = [await toPay(), await toPay()];
    await pay(back);
    await world.context.database
      .update(payout)
      .set({ state: "failed", nextAttemptAt: null })
      .where(eq(payout.id, failed.payoutId));
    const retry = await retried(back);
    expect(await pay(retry)).to.equal(1);
    const unplanned = await world.addIntent({ lastEmittedStatus: "SUCCEEDED" });
    await world.chain.fund(unplanned.orderId, unplanned.terms, 1, PAYER);
    await world.chain.settle(unplanned.orderId, unplanned.terms, 19);
    balance = 2n * HUNDRED;
    expect(await pay(retry)).to.equal(1);
    balance = 3n * HUNDRED;
    expect(await pay(retry)).to.equal(2);
  });

  it("waits until the provider reports that its funds are back, if it does", async () => {
    let refunded = false;
    await start((bank) => ({
      ...bank,
      async lookUp(reference, known) {
        const found = await bank.lookUp(reference, known);
        return found && { ...found, state: "returned", refunded };
      },
    }));
    balance = HUNDRED;
    const [back, other] = [await toPay(), await toPay()];
    await pay(back);
    await world.context.database
      .update(payout)
      .set({ state: "returned", account: "gullible", nextAttemptAt: null, refunded: false })
      .where(eq(payout.id, other.payoutId));
    const retry = await retried(back, { refunded: false });
    expect(await pay(retry)).to.equal(1);
    refunded = true;
    expect(await pay(retry)).to.equal(2);
  });
});

describe("a wallet that has enough", () => {
  it("is read once for consecutive batches", async () => {
    await start();
    const due = [await toPay(), await toPay(), await toPay()];
    balance = 3n * HUNDRED;
    const payer = createPayoutHandler(world.context, () => undefined);
    const clock = spyOn(performance, "now").mockReturnValue(performance.now());
    for (const { payoutId } of due) await payer([payoutId]);
    clock.mockRestore();
    expect((await paidTimes(world.context.database)).size).to.equal(3);
    expect(looked).to.equal(1);
  });
});
