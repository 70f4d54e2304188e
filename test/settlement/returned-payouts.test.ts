// A returned payout that its merchant retries waits for its own funds.
import { afterEach, describe, it } from "bun:test";
import { expect } from "chai";
import { eq } from "drizzle-orm";
import { offRampWallet } from "#core/db/schema/off-ramp.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { tryPayoutsAgain } from "#core/payouts/try-again.ts";
import { insertPayout } from "./support/payouts.ts";
import {
  addDue,
  addTwo,
  changePayout,
  type Due,
  findPayout,
  HUNDRED,
  makeWalletWorld,
  pay,
  type WalletWorld,
} from "./support/wallet-world.ts";
import { PAYER } from "./support/world.ts";

let world: WalletWorld;
afterEach(() => world.close());

/** Returns a payout minus the fee, and retries it as its merchant. @returns the next attempt's id */
async function retried(made: Due, more: { fee?: bigint; refunded?: boolean } = {}) {
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

describe("a returned payout that is retried (D3)", () => {
  it("waits for its own funds, without delaying other payouts", async () => {
    world = await makeWalletWorld();
    world.balance = HUNDRED;
    const back = await addDue(world);
    expect(await pay(world, back)).to.equal(1);
    const retry = await retried(back);
    const others = [await addDue(world), await addDue(world)];
    world.balance = 2n * HUNDRED;
    expect(await pay(world, retry)).to.equal(1);
    expect(await pay(world, ...others)).to.equal(3);
    world.balance = 0n;
    expect(await pay(world, retry)).to.equal(3);
    world.balance = HUNDRED;
    expect(await pay(world, retry)).to.equal(4);
  });

  it("pays the amount minus the fee, which settles the payment", async () => {
    world = await makeWalletWorld();
    world.balance = HUNDRED;
    const back = await addDue(world);
    await pay(world, back);
    const retry = await retried(back, { fee: 2_000_000n });
    expect(await findPayout(world, retry.payoutId)).to.include({ amount: 98_000_000n, deducted: 2_000_000n });
    world.balance = 98_000_000n;
    expect(await pay(world, retry)).to.equal(2);
    expect((await world.context.reader.find(back.id))?.status).to.equal("SETTLED");
  });

  it("pays the full amount if the gateway bears the fee", async () => {
    world = await makeWalletWorld();
    world.context.config.returnFeeBearer = "gateway";
    world.balance = HUNDRED;
    const back = await addDue(world);
    await pay(world, back);
    const retry = await retried(back, { fee: 2_000_000n });
    expect(await findPayout(world, retry.payoutId)).to.include({ amount: HUNDRED, covered: 2_000_000n });
    world.balance = 98_000_000n;
    expect(await pay(world, retry)).to.equal(1);
    world.balance = HUNDRED;
    expect(await pay(world, retry)).to.equal(2);
  });

  it("is not paid from missing funds if a different payout's return fee exceeds its amount", async () => {
    world = await makeWalletWorld();
    world.balance = 2n * HUNDRED;
    const [back, other] = [await addDue(world), await addDue(world)];
    await pay(world, back, other);
    const { database } = world.context;
    await database
      .update(payout)
      .set({ state: "returned", account: "gullible", nextAttemptAt: null, fee: 2n * HUNDRED })
      .where(eq(payout.id, other.payoutId));
    const retry = await retried(back);
    world.balance = HUNDRED - 1n;
    expect(await pay(world, retry)).to.equal(2);
    world.balance = HUNDRED;
    expect(await pay(world, retry)).to.equal(3);
  });

  it("does not use funds owed to another failed payout, or to settlements without a payout", async () => {
    world = await makeWalletWorld();
    world.balance = HUNDRED;
    const [back, failed] = [await addDue(world), await addDue(world)];
    await pay(world, back);
    await world.context.database
      .update(payout)
      .set({ state: "failed", nextAttemptAt: null })
      .where(eq(payout.id, failed.payoutId));
    const retry = await retried(back);
    expect(await pay(world, retry)).to.equal(1);
    const unplanned = await world.addIntent({ lastEmittedStatus: "SUCCEEDED" });
    await world.chain.fund(unplanned.orderId, unplanned.terms, 1, PAYER);
    await world.chain.settle(unplanned.orderId, unplanned.terms, 19);
    world.balance = 2n * HUNDRED;
    expect(await pay(world, retry)).to.equal(1);
    world.balance = 3n * HUNDRED;
    expect(await pay(world, retry)).to.equal(2);
  });

  it("waits until the provider reports that its funds are back, if the provider reports this", async () => {
    let refunded = false;
    world = await makeWalletWorld((bank) => ({
      ...bank,
      async lookUp(reference, known) {
        const found = await bank.lookUp(reference, known);
        return found && { ...found, state: "returned", refunded };
      },
    }));
    world.balance = HUNDRED;
    const [back, other] = [await addDue(world), await addDue(world)];
    await pay(world, back);
    await world.context.database
      .update(payout)
      .set({ state: "returned", account: "gullible", nextAttemptAt: null, refunded: false })
      .where(eq(payout.id, other.payoutId));
    const retry = await retried(back, { refunded: false });
    expect(await pay(world, retry)).to.equal(1);
    refunded = true;
    expect(await pay(world, retry)).to.equal(2);
  });

  it("does not wait for an older retry whose funds are not back (one merchant's trouble delays nobody)", async () => {
    const refunded = new Set<string>();
    world = await makeWalletWorld((bank) => ({
      ...bank,
      async lookUp(reference, known) {
        const found = await bank.lookUp(reference, known);
        return found && { ...found, state: "returned", refunded: refunded.has(reference) };
      },
    }));
    const [older, newer] = await addTwo(world);
    world.balance = 2n * HUNDRED;
    await pay(world, older, newer);
    const { reference } = await findPayout(world, newer.payoutId);
    const [stuck, back] = [
      await retried(older, { refunded: false }),
      await retried(newer, { refunded: false }),
    ];
    refunded.add(reference);
    world.balance = HUNDRED;
    expect(await pay(world, back, stuck)).to.equal(3);
    expect(await findPayout(world, stuck.payoutId)).to.include({ state: "created", calledAt: null });
    expect(await pay(world, stuck)).to.equal(3);
    // The balance shows that its funds are back, although the provider does not report it.
    world.balance = 2n * HUNDRED;
    expect(await pay(world, stuck)).to.equal(4);
  });

  it("is paid before a retry of a newer settlement, whichever was retried first", async () => {
    world = await makeWalletWorld();
    const [older, newer] = await addTwo(world);
    world.balance = 2n * HUNDRED;
    await pay(world, older, newer);
    const second = await retried(newer);
    const first = await retried(older);
    world.balance = HUNDRED;
    expect(await pay(world, second)).to.equal(2);
    expect(await pay(world, first)).to.equal(3);
  });

  it("does not use funds of a new payout for two parts that are retried at the same time", async () => {
    world = await makeWalletWorld();
    const made = await addDue(world);
    const { database } = world.context;
    await insertPayout(database, made, { part: 1, reference: "part 1" });
    const parts = await database.select().from(payout).where(eq(payout.intentId, made.id));
    world.balance = 2n * HUNDRED;
    expect(await pay(world, ...parts.map(({ id }) => ({ payoutId: id })))).to.equal(2);
    await database.update(payout).set({ state: "returned", account: "gullible", nextAttemptAt: null });
    const attempts = await database.transaction((tx) =>
      tryPayoutsAgain(tx, world.context.deployment, made.id, "merchant"),
    );
    const waiting = await addDue(world);
    world.balance = 2n * HUNDRED;
    expect(await pay(world, ...attempts.map((payoutId) => ({ payoutId })))).to.equal(3);
    world.balance = HUNDRED;
    expect(await pay(world, waiting)).to.equal(4);
  });

  it("does not use funds of a new payout while a newer retry is being ordered", async () => {
    world = await makeWalletWorld();
    const [older, newer] = await addTwo(world);
    world.balance = 2n * HUNDRED;
    await pay(world, older, newer);
    const [first, ordered] = [await retried(older), await retried(newer)];
    await addDue(world);
    await changePayout(world, ordered.payoutId, { allocated: true, calledAt: new Date() });
    world.balance = 2n * HUNDRED;
    expect(await pay(world, first)).to.equal(2);
    world.balance = 3n * HUNDRED;
    expect(await pay(world, first)).to.equal(3);
  });

  it("does not use funds of an ordered payout that have not left", async () => {
    world = await makeWalletWorld();
    world.balance = 2n * HUNDRED;
    const [back, ordered] = [await addDue(world), await addDue(world)];
    await pay(world, back, ordered);
    await world.context.database
      .update(payout)
      .set({ state: "submitted", awaitsFunds: true })
      .where(eq(payout.id, ordered.payoutId));
    const retry = await retried(back);
    const delay = async () => {
      expect(await pay(world, retry)).to.equal(2);
      const { nextAttemptAt } = await findPayout(world, retry.payoutId);
      return Math.round(((nextAttemptAt?.getTime() ?? 0) - Date.now()) / 1_000);
    };
    await world.context.database
      .update(payout)
      .set({ createdAt: new Date(Date.now() - 3_600_000) })
      .where(eq(payout.id, retry.payoutId));
    world.balance = HUNDRED;
    expect(await delay(), "they may have left").to.be.within(25, 30);
    world.balance = HUNDRED - 1n;
    expect(await delay(), "its own are not back").to.be.within(290, 300);
    const waiting = await addDue(world);
    world.balance = 2n * HUNDRED;
    expect(await pay(world, retry), "one may have left, the other is for a new payout").to.equal(2);
    world.balance = 3n * HUNDRED;
    expect(await pay(world, retry, waiting)).to.equal(4);
  });

  it("does not wait for a payout whose transfer has a different amount, or that a different wallet pays", async () => {
    world = await makeWalletWorld();
    const { database } = world.context;
    world.balance = 3n * HUNDRED;
    const [back, mismatched, moved] = [await addDue(world), await addDue(world), await addDue(world)];
    await pay(world, back);
    await database
      .update(payout)
      .set({ state: "quarantined", providerId: "transfer_1" })
      .where(eq(payout.id, mismatched.payoutId));
    await database.insert(offRampWallet).values({
      ...{ account: "gullible", walletId: "w1", settings: "confirmed" },
      address: "0x000000000000000000000000000000000000dEaD",
    });
    await database
      .update(payout)
      .set({ account: "gullible", wallet: "w1" })
      .where(eq(payout.id, moved.payoutId));
    const retry = await retried(back);
    world.balance = HUNDRED;
    expect(await pay(world, retry)).to.equal(2);
  });
});
