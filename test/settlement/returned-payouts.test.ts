// A returned payout that its merchant retries waits for its own funds.
import { afterEach, describe, it, spyOn } from "bun:test";
import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { eq } from "drizzle-orm";
import type { Address } from "viem";
import { settlement } from "#core/db/chain.ts";
import { offRampWallet } from "#core/db/schema/off-ramp.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { orderIdOfIntent } from "#core/ids.ts";
import { tryPayoutsAgain } from "#core/payouts/try-again.ts";
import { ask } from "#scripts/cli/ops/approve.ts";
import { refreshPayout } from "#scripts/cli/ops/changes.ts";
import { CONTROLLED } from "#scripts/cli/ops/controlled.ts";
import { movePayout } from "#scripts/cli/ops/off-ramp-accounts.ts";
import { type OffRamp, TransferDeclined, TransferRefused } from "#settlement/off-ramp/off-ramp.ts";
import { blockHash } from "./support/chain-tables.ts";
import { insertPayout, type NewPayout } from "./support/payouts.ts";
import {
  addDue,
  addSettled,
  addTwo,
  changePayout,
  countPaid,
  type Due,
  endDelays,
  findPayout,
  HUNDRED,
  makeWalletWorld,
  pay,
  startPayer,
  type WalletWorld,
} from "./support/wallet-world.ts";
import { PAYER } from "./support/world.ts";

let world: WalletWorld;
afterEach(() => world.close());

const anHourAgo = () => new Date(Date.now() - 3_600_000);

/** Returns a payout minus the fee, by default an hour ago, and retries it as its merchant. @returns the next attempt's id */
async function retried(made: Due, more: { fee?: bigint; refunded?: boolean | null; updatedAt?: Date } = {}) {
  await changePayout(world, made, {
    ...{ state: "returned", account: "gullible", nextAttemptAt: null, updatedAt: anHourAgo() },
    ...more,
  });
  return retry(made);
}

async function retry(made: Due) {
  const { database, deployment } = world.context;
  const [payoutId = ""] = await database.transaction((tx) =>
    tryPayoutsAgain(tx, deployment, made.id, world.context.config.returnFeeBearer),
  );
  return { ...made, payoutId };
}

/** Fails a payout as operators do. */
function fail({ payoutId }: Due): Promise<unknown> {
  const { database, offRamps } = world.context;
  const chain = async () => world.context;
  const parts = { database, offRamps: async () => offRamps, feeBearer: "merchant" as const, chain };
  return ask(parts, CONTROLLED, "fail", { subject: payoutId, arguments: {}, by: "Ada" });
}

/** Starts a world whose bank returns every transfer. @returns the references of those whose funds it reports as back */
async function startReturning(
  change: (bank: OffRamp) => Partial<OffRamp> = () => ({}),
): Promise<Set<string>> {
  const refunded = new Set<string>();
  world = await makeWalletWorld((bank) => ({
    ...bank,
    ...change(bank),
    async lookUp(reference, known) {
      const found = await bank.lookUp(reference, known);
      return found && { ...found, state: "returned", refunded: refunded.has(reference) };
    },
  }));
  return refunded;
}

/** Retries two returned payouts. The provider reports that the funds of the newer one are back, and they are. */
async function retryTwo() {
  const refunded = await startReturning();
  const [older, newer] = await payTwo();
  const stuck = await retried(older, { refunded: false });
  const back = await retried(newer, { refunded: false });
  refunded.add(newer.reference);
  world.balance = HUNDRED;
  return { stuck, back };
}

/** Adds an older and a newer payout, and pays them. @returns each with its reference */
async function payTwo() {
  const [older, newer] = await addTwo(world);
  world.balance = 2n * HUNDRED;
  await pay(world, older, newer);
  const withReference = async (made: Due) => ({
    ...made,
    reference: (await findPayout(world, made.payoutId)).reference,
  });
  return [await withReference(older), await withReference(newer)] as const;
}

/** Lets a minute pass since the provider's reports, after which every worker knows them. */
const forgetReports = () => world.context.database.update(payout).set({ updatedAt: anHourAgo() });

/**
 * Executes a retry, and something else after the check of its funds, before they are allocated.
 * @param wallets number of wallets with open payouts
 */
async function payWhile(ordered: Due, during: () => Promise<unknown>, wallets = 1): Promise<void> {
  await endDelays(world);
  const clock = spyOn(performance, "now").mockReturnValue(performance.now());
  const execute = startPayer(world);
  const { balanceReads } = world;
  const read = async (times: number) => {
    while (world.balanceReads < balanceReads + times) await setImmediate();
  };
  await execute();
  await read(wallets);
  const gate = Promise.withResolvers<void>();
  world.gate = gate.promise;
  const executing = execute(ordered);
  await read(wallets + 1);
  clock.mockRestore();
  await during();
  gate.resolve();
  await executing;
}

const SECOND: Address = "0x000000000000000000000000000000000000dEaD";

/** Adds a confirmed order of one hundred that was settled to this wallet, with its payout. */
async function addAt(offRamp: Address, more: Partial<NewPayout> = {}): Promise<Due> {
  const made = await world.addIntent({ lastEmittedStatus: "SUCCEEDED" }, { offRamp });
  await world.chain.fund(made.orderId, made.terms, 1, PAYER);
  await world.chain.settle(made.orderId, made.terms, 10);
  await world.chain.head(20);
  return { ...made, payoutId: await insertPayout(world.context.database, made, more) };
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
      .set({
        state: "returned",
        account: "gullible",
        nextAttemptAt: null,
        refunded: false,
        calledAt: new Date(),
        providerId: "transfer_2",
      })
      .where(eq(payout.id, other.payoutId));
    const retry = await retried(back, { refunded: false });
    expect(await pay(world, retry)).to.equal(1);
    refunded = true;
    expect(await pay(world, retry)).to.equal(2);
  });

  it("does not wait for an older retry whose funds are not back (one merchant's trouble delays nobody)", async () => {
    const { stuck, back } = await retryTwo();
    expect(await pay(world, back, stuck), "another worker may not know the report").to.equal(2);
    const { nextAttemptAt } = await findPayout(world, back.payoutId);
    expect(nextAttemptAt?.getTime()).to.be.below(Date.now() + 31_000);
    await forgetReports();
    expect(await pay(world, back, stuck)).to.equal(3);
    expect(await findPayout(world, stuck.payoutId)).to.include({ state: "created", calledAt: null });
    await forgetReports();
    world.balance = 0n;
    expect(await pay(world, stuck)).to.equal(3);
    // The balance shows that its funds are back, although the provider does not report it.
    world.balance = HUNDRED;
    expect(await pay(world, stuck)).to.equal(4);
  });

  it("does not use another retry's funds while its own are not back, whichever is polled first", async () => {
    const { stuck, back } = await retryTwo();
    expect(await pay(world, stuck)).to.equal(2);
    await pay(world, back);
    await forgetReports();
    expect(await pay(world, stuck)).to.equal(2);
    expect(await pay(world, back)).to.equal(3);
  });

  it("does not use funds of a new payout if its return is reported while a newer retry is being ordered", async () => {
    const refunded = await startReturning();
    const [older, newer] = await payTwo();
    const first = await retried(newer, { refunded: true });
    const second = await retried(older, { refunded: false });
    const fresh = await addDue(world);
    // The older one's refund is not in the balance yet.
    world.balance = 2n * HUNDRED;
    await payWhile(first, async () => {
      refunded.add(older.reference);
      await startPayer(world)(second);
    });
    expect(await countPaid(world)).to.equal(3);
    expect(await findPayout(world, second.payoutId)).to.include({ state: "created", calledAt: null });
    world.balance = HUNDRED;
    expect(await pay(world, second, fresh)).to.equal(4);
    expect((await findPayout(world, fresh.payoutId)).state).to.equal("completed");
  });

  it("does not use funds of a new payout if it is returned and retried while a newer retry is being ordered", async () => {
    world = await makeWalletWorld();
    const [older, newer] = await payTwo();
    const first = await retried(newer);
    await addDue(world);
    world.balance = 2n * HUNDRED;
    await payWhile(first, async () => {
      await startPayer(world)(await retried(older, { updatedAt: new Date() }));
    });
    expect(await countPaid(world)).to.equal(3);
  });

  it("stays behind other retries if operators end an attempt that was never ordered, before and after the next one", async () => {
    const refunded = await startReturning();
    const [older, newer] = await payTwo();
    const newest = await addDue(world, { settledAt: new Date() });
    world.balance = HUNDRED;
    expect(await pay(world, newest)).to.equal(3);
    const second = await retried(older, { refunded: false });
    const back = await retried(newer, { refunded: true });
    const alsoBack = await retried(newest, { refunded: true });
    await fail(second);
    expect(await findPayout(world, second.payoutId)).to.include({ state: "failed", calledAt: null });
    expect(await pay(world, back)).to.equal(4);
    await forgetReports();
    const third = await retry(older);
    expect(await pay(world, third)).to.equal(4);
    refunded.add(older.reference);
    await pay(world, third);
    expect(await findPayout(world, older.payoutId)).to.include({ refunded: true });
    await changePayout(world, older, { refunded: false });
    expect(await pay(world, alsoBack)).to.equal(5);
  });

  it.each([
    ["declined, and then ended by operators", TransferDeclined],
    ["refused", TransferRefused],
  ])(
    "stays behind other retries if the provider has not accepted its last attempt: %s",
    async (_, Refusal) => {
      let refusing = false;
      await startReturning((bank) => ({
        lookUpAfterMs: 0,
        async create(order) {
          if (refusing) throw new Refusal("not now");
          return bank.create(order);
        },
      }));
      const [older, newer] = await payTwo();
      const second = await retried(older, { refunded: false });
      await forgetReports();
      world.balance = 10n * HUNDRED;
      refusing = true;
      await pay(world, second);
      refusing = false;
      if ((await findPayout(world, second.payoutId)).state === "created") {
        await fail(second);
      }
      const third = await retry(older);
      const back = await retried(newer, { refunded: true });
      await forgetReports();
      world.balance = HUNDRED;
      expect(await pay(world, third)).to.equal(2);
      expect(await pay(world, back, third)).to.equal(3);
      expect(await findPayout(world, back.payoutId)).to.include({ state: "completed" });
    },
  );

  it("is not paid while its funds are still returning, if operators failed the attempt whose answer was lost", async () => {
    let lost: string | undefined;
    world = await makeWalletWorld((bank) => ({
      ...bank,
      lookUpAfterMs: 0,
      async lookUp(reference, known) {
        const found = await bank.lookUp(reference, known);
        return found && (reference === lost ? { ...found, state: "returned", refunded: false } : found);
      },
      async create(order) {
        const made = await bank.create(order);
        if (lost !== undefined) return made;
        lost = order.reference;
        throw new Error("no answer");
      },
    }));
    const [older, newer] = await addTwo(world);
    world.balance = 2n * HUNDRED;
    await pay(world, older);
    await pay(world, newer);
    expect(await findPayout(world, older.payoutId)).to.include({ state: "quarantined" });
    await fail(older);
    expect(await findPayout(world, older.payoutId)).to.include({ state: "returned", refunded: false });
    const second = await retry(older);
    const own = await retried(newer, { refunded: true });
    await forgetReports();
    world.balance = HUNDRED;
    expect(await pay(world, second)).to.equal(2);
    expect(await pay(world, second, own)).to.equal(3);
    expect(await findPayout(world, own.payoutId)).to.include({ state: "completed" });
  });

  it("leaves to another merchant's retry what the chain covers of it minus its fee, and no more", async () => {
    world = await makeWalletWorld();
    const { chain } = world;
    const [made, back] = await payTwo();
    const fee = 2_000_000n;
    await retried(made, { refunded: true, fee });
    const covered = { block: 10, amount: 50_000_000n, txHash: blockHash(10) };
    await chain.settleAll(made.orderId, made.terms, [covered], 1);
    const retry = await retried(back, { refunded: true });
    world.balance = HUNDRED + covered.amount - fee - 1n;
    expect(await pay(world, retry)).to.equal(2);
    world.balance += 1n;
    expect(await pay(world, retry)).to.equal(3);
  });

  it.each([
    ["is not reduced yet", {}],
    ["was declined, so that it is not reduced", { calledAt: anHourAgo(), declinedCalls: 1 }],
  ])("does not use funds of a payout that the chain covers in part and that %s", async (_, called) => {
    world = await makeWalletWorld();
    const { context } = world;
    world.balance = HUNDRED;
    const back = await addDue(world);
    await pay(world, back);
    const made = await addSettled(world);
    const twice = { amount: 2n * HUNDRED, settlementAmount: 2n * HUNDRED };
    await insertPayout(context.database, made, { ...twice, ...called, account: "gullible" });
    const retry = await retried(back, { refunded: true });
    expect(await pay(world, retry)).to.equal(1);
    world.balance = 2n * HUNDRED;
    expect(await pay(world, retry)).to.equal(2);
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
    const both = 2n * HUNDRED;
    await database
      .update(settlement)
      .set({ amount: both })
      .where(eq(settlement.orderId, orderIdOfIntent(made.id)));
    await insertPayout(database, made, { part: 1, reference: "part 1", settlementAmount: both });
    const parts = await database.select().from(payout).where(eq(payout.intentId, made.id));
    world.balance = 2n * HUNDRED;
    expect(await pay(world, ...parts.map(({ id }) => ({ payoutId: id })))).to.equal(2);
    await database.update(payout).set({ state: "returned", account: "gullible", nextAttemptAt: null });
    await forgetReports();
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
    await changePayout(world, ordered, { allocated: true, calledAt: new Date() });
    world.balance = 2n * HUNDRED;
    expect(await pay(world, first)).to.equal(2);
    world.balance = 3n * HUNDRED;
    expect(await pay(world, first)).to.equal(3);
  });

  describe("and whose account has a second wallet", () => {
    /** An older retry that the first wallet pays, and a newer one that the second wallet pays, whose funds are back. */
    async function startTwoWallets(refunded: boolean | null) {
      world = await makeWalletWorld();
      await world.context.database
        .insert(offRampWallet)
        .values({ account: "gullible", walletId: "second", settings: "confirmed", address: SECOND });
      const older = await addDue(world, { settledAt: new Date(Date.now() - 60_000) });
      const newer = await addAt(SECOND, { settledAt: new Date(Date.now() - 30_000) });
      world.balance = 2n * HUNDRED;
      expect(await pay(world, older, newer)).to.equal(2);
      return { moved: await retried(older, { refunded }), own: await retried(newer, { refunded: true }) };
    }

    const moveToSecond = ({ payoutId }: Due) =>
      movePayout(world.context.database, payoutId, "gullible", { by: "ann", wallet: "second" });

    it.each([true, null])(
      "does not use a new payout's funds if it is moved while another retry is being ordered (refunded: %p)",
      async (refunded) => {
        const { moved, own } = await startTwoWallets(refunded);
        await addAt(SECOND);
        world.balance = 2n * HUNDRED;
        await payWhile(
          own,
          async () => {
            await moveToSecond(moved);
            await refreshPayout(world.context.database, moved.payoutId, "ann");
            await startPayer(world)(moved);
          },
          2,
        );
        expect(await countPaid(world)).to.equal(3);
        expect(await findPayout(world, moved.payoutId)).to.include({ state: "created" });
      },
    );

    it("is paid there, not with its former wallet's funds, if operators end the moved attempt before it is ordered", async () => {
      const { moved, own } = await startTwoWallets(true);
      await moveToSecond(moved);
      await changePayout(world, moved, { state: "failed", failure: "ended", nextAttemptAt: null });
      const next = await retry(moved);
      await forgetReports();
      world.balance = HUNDRED;
      expect(await pay(world, next)).to.equal(3);
      expect(await pay(world, own), "the second wallet's funds have paid the other retry").to.equal(3);
    });

    it("is paid there once its tokens are moved, although another merchant's funds do not come back", async () => {
      const { moved } = await startTwoWallets(true);
      const stuck = await addAt(SECOND);
      await changePayout(world, stuck, {
        ...{ state: "returned", account: "gullible", wallet: "second", nextAttemptAt: null },
        ...{ calledAt: anHourAgo(), updatedAt: anHourAgo(), providerId: "transfer_2", refunded: false },
      });
      await retry(stuck);
      await moveToSecond(moved);
      world.balance = 2n * HUNDRED;
      await forgetReports();
      expect(await pay(world, moved)).to.equal(3);
      expect(await findPayout(world, moved.payoutId)).to.include({ state: "completed", wallet: "second" });
    });
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
