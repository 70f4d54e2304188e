// Funds that are allocated to ordered payouts. No other payout uses these funds while the outcome of a call is unknown
// or while the provider has not debited them.
import { afterEach, describe, it, spyOn } from "bun:test";
import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import type { Address } from "viem";
import { offRampBalance } from "#core/db/schema/off-ramp.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { ask } from "#scripts/cli/ops/approve.ts";
import { CONTROLLED } from "#scripts/cli/ops/controlled.ts";
import { payoutsNotDebited } from "#scripts/cli/ops/lists.ts";
import { type OffRamp, TransferDeclined } from "#settlement/off-ramp/off-ramp.ts";
import { createAllocation } from "#settlement/payouts/allocate-funds.ts";
import { catchError } from "#test/support/catch-error.ts";
import {
  addDue,
  addTwo,
  changePayout,
  countPaid,
  findPayout,
  HUNDRED,
  makeWalletWorld,
  pay,
  readState,
  startPayer,
  type WalletWorld,
} from "./support/wallet-world.ts";

let world: WalletWorld;
afterEach(() => world.close());

/** Confirms a debit as an operator. */
function confirmDebit({ payoutId }: { payoutId: string }) {
  const { database, offRamps } = world.context;
  const chain = async () => world.context;
  const parts = { database, offRamps: async () => offRamps, feeBearer: "merchant" as const, chain };
  const asked = { subject: payoutId, arguments: { reference: "0x17" }, by: "Ada" };
  return ask(parts, CONTROLLED, "confirm-debit", asked);
}

describe("a wallet whose funds are allocated", () => {
  it("gives nothing to a payout whose lease has expired, although nobody has claimed it since", async () => {
    world = await makeWalletWorld();
    const { payoutId, terms } = await addDue(world);
    const { database } = world.context;
    await database.insert(offRampBalance).values({
      token: terms.token.toLowerCase() as Address,
      wallet: terms.offRamp.toLowerCase() as Address,
      ...{ balance: HUNDRED, allocated: 0n, revision: 1 },
    });
    const leasedUntil = new Date(Date.now() - 60_000);
    await changePayout(world, { payoutId }, { leasedUntil });
    const row = { ...(await findPayout(world, payoutId)), leasedUntil };
    const place = { token: terms.token, offRamp: terms.offRamp };
    expect(await createAllocation(database)({ row, place })).to.equal("lost");
    expect(await findPayout(world, payoutId)).to.include({ allocated: false, calledAt: null });
  });

  it("pays no more than it holds if two processes decide based on what each has read", async () => {
    world = await makeWalletWorld((bank) => ({
      ...bank,
      async create(order) {
        const transfer = await bank.create(order);
        world.balance -= order.amount;
        return transfer;
      },
    }));
    const { database } = world.context;
    const [older, newer] = await addTwo(world);
    const [one, other] = [startPayer(world), startPayer(world)];
    world.balance = 4n * HUNDRED;
    const clock = spyOn(performance, "now").mockReturnValue(performance.now());
    await one(await addDue(world));
    await other(await addDue(world));
    // In the meantime, half of the remaining balance is withdrawn, and a third process records the new balance.
    world.balance = HUNDRED;
    await database.update(offRampBalance).set({ balance: HUNDRED, allocated: 0n });
    await Promise.all([one(older), other(newer)]);
    clock.mockRestore();
    expect(await countPaid(world)).to.equal(3);
  });

  it("does not give the funds of a call in flight to an older payout", async () => {
    const answered = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    world = await makeWalletWorld((bank) => ({
      ...bank,
      async create(order) {
        arrived.resolve();
        await answered.promise;
        return bank.create(order);
      },
    }));
    world.balance = HUNDRED;
    const newer = await addDue(world, { settledAt: new Date() });
    const ordering = startPayer(world)(newer);
    await arrived.promise;
    const older = await addDue(world, { settledAt: new Date(Date.now() - 60_000) });
    const waiting = startPayer(world)(older);
    await waiting;
    expect(await readState(world, older)).to.equal("created");
    expect(await findPayout(world, older.payoutId)).to.include({ calledAt: null, allocated: false });
    answered.resolve();
    await ordering;
    expect(await countPaid(world)).to.equal(1);
  });

  it("keeps the funds of an ordered payout until the provider reports that they have left", async () => {
    let debited = false;
    const pending = (transfer: Awaited<ReturnType<OffRamp["create"]>>) =>
      ({ ...transfer, state: "pending", completedAt: null, awaitsFunds: !debited }) as const;
    world = await makeWalletWorld((bank) => ({
      ...bank,
      async lookUp(reference, known) {
        const found = await bank.lookUp(reference, known);
        return found && pending(found);
      },
      create: async (order) => pending(await bank.create(order)),
    }));
    const [older, newer] = await addTwo(world);
    world.balance = 2n * HUNDRED - 1n;
    expect(await pay(world, older, newer)).to.equal(1);
    expect(await pay(world, newer)).to.equal(1);
    expect(await findPayout(world, older.payoutId)).to.include({ state: "submitted", awaitsFunds: true });
    world.balance = 2n * HUNDRED;
    expect(await pay(world, newer)).to.equal(2);
    debited = true;
    world.balance = 0n;
    await pay(world, older, newer);
    expect(await findPayout(world, older.payoutId)).to.include({ state: "submitted", awaitsFunds: false });
    world.balance = HUNDRED;
    const next = await addDue(world);
    expect(await pay(world, next)).to.equal(3);
  });

  it("keeps the funds of a call without a response, and repeats the call before newer payouts get any funds", async () => {
    let lost = true;
    world = await makeWalletWorld((bank) => ({
      ...bank,
      create(order) {
        if (lost) throw new Error("The response is lost.");
        return bank.create(order);
      },
    }));
    const [older, newer] = await addTwo(world);
    world.balance = 2n * HUNDRED - 1n;
    expect(await pay(world, older)).to.equal(0);
    expect(await readState(world, older)).to.equal("quarantined");
    lost = false;
    expect(await pay(world, newer)).to.equal(0);
    expect(await pay(world, older)).to.equal(1);
    world.balance = HUNDRED;
    expect(await pay(world, newer)).to.equal(2);
  });

  it("repeats the call of a payout with an unknown outcome before newer ones get funds, although the wallet was emptied", async () => {
    world = await makeWalletWorld();
    const [older, newer] = await addTwo(world);
    await changePayout(world, older, { state: "quarantined", allocated: true, calledAt: new Date() });
    world.balance = HUNDRED - 1n;
    expect(await pay(world, older)).to.equal(0);
    expect(await findPayout(world, older.payoutId)).to.include({ state: "quarantined", allocated: true });
    world.balance = HUNDRED;
    expect(await pay(world, newer)).to.equal(0);
    expect(await pay(world, older)).to.equal(1);
  });

  it("pays only one of two payouts that the provider does not know after all if the remaining funds suffice for one", async () => {
    world = await makeWalletWorld();
    const [older, newer] = await addTwo(world);
    await world.context.database.update(payout).set({ state: "quarantined", allocated: true });
    world.balance = 2n * HUNDRED - 1n;
    expect(await pay(world, newer, older)).to.equal(1);
    expect(await readState(world, older)).to.equal("completed");
    world.balance -= HUNDRED;
    expect(await pay(world, newer)).to.equal(1);
  });

  it("gives unallocated funds to the oldest waiting payouts", async () => {
    world = await makeWalletWorld();
    const ordered = await addDue(world);
    const [older, newer] = await addTwo(world);
    await changePayout(world, ordered, { state: "submitted", awaitsFunds: true, providerId: "transfer_1" });
    world.balance = 2n * HUNDRED;
    expect(await pay(world, newer)).to.equal(0);
    expect(await pay(world, older)).to.equal(1);
  });

  it("counts funds that are allocated while its balance is read", async () => {
    world = await makeWalletWorld((bank) => ({
      ...bank,
      create: async (order) => ({
        ...(await bank.create(order)),
        ...{ state: "pending", completedAt: null, awaitsFunds: true },
      }),
    }));
    const { database } = world.context;
    world.balance = 2n * HUNDRED;
    const [first, second] = await addTwo(world);
    const [one, other] = [startPayer(world), startPayer(world)];
    const clock = spyOn(performance, "now").mockReturnValue(performance.now());
    await one();
    while (!(await database.$count(offRampBalance))) await setImmediate();
    const gate = Promise.withResolvers<void>();
    world.gate = gate.promise;
    const balanceReads = world.balanceReads;
    const reading = other(second);
    while (world.balanceReads === balanceReads) await setImmediate();
    await one(first);
    gate.resolve();
    await reading;
    expect(await countPaid(world)).to.equal(2);
    await other(await addDue(world));
    clock.mockRestore();
    expect(await countPaid(world)).to.equal(2);
    const [stored] = await database.select().from(offRampBalance);
    expect(stored).to.include({ balance: 2n * HUNDRED, allocated: 2n * HUNDRED });
  });

  it("pays from funds that arrived since its balance was read", async () => {
    world = await makeWalletWorld();
    world.balance = HUNDRED;
    const execute = startPayer(world);
    await execute(await addDue(world));
    // The provider has debited the wallet, and the wallet has received another settlement.
    world.balance = HUNDRED;
    await execute(await addDue(world));
    expect(await countPaid(world)).to.equal(2);
  });

  it("regains the funds of a payout with an unknown outcome once a reorg has removed its settlement", async () => {
    world = await makeWalletWorld();
    const [unknown, other] = await addTwo(world);
    await changePayout(world, unknown, { state: "quarantined", allocated: true, calledAt: new Date() });
    await world.chain.removeOrder(unknown.orderId);
    world.balance = HUNDRED;
    // The call may still be in progress, because a worker may have died during it.
    await pay(world, unknown);
    expect(await findPayout(world, unknown.payoutId)).to.include({ state: "quarantined", allocated: true });
    expect(await pay(world, other)).to.equal(0);
    await changePayout(world, unknown, { calledAt: new Date(Date.now() - 60_000) });
    await pay(world, unknown);
    expect(await findPayout(world, unknown.payoutId)).to.include({ state: "created", allocated: false });
    expect(await pay(world, other)).to.equal(1);
  });

  it.each([
    ["submitted", HUNDRED],
    ["quarantined", HUNDRED / 2n],
  ] as const)(
    "regains the funds of a %s payout that operators confirm as debited, although the provider does not report it",
    async (state, amount) => {
      let reported: boolean | undefined = true;
      world = await makeWalletWorld((bank) => ({
        ...bank,
        async lookUp(reference, known) {
          const found = await bank.lookUp(reference, known);
          if (found?.reference !== "silent") return found;
          return {
            ...{ ...found, amount, state: "pending", completedAt: null },
            ...(reported === undefined ? {} : { awaitsFunds: reported }),
          };
        },
      }));
      const { database } = world.context;
      const silent = await addDue(world, { reference: "silent" });
      world.balance = HUNDRED;
      await pay(world, silent);
      await changePayout(world, silent, {
        state,
        awaitsFunds: true,
        calledAt: new Date(Date.now() - 3_600_000),
      });
      expect((await payoutsNotDebited(database)).map(({ id }) => id)).to.deep.equal([silent.payoutId]);
      const confirm = () => confirmDebit(silent);
      const waiting = await addDue(world);
      expect(String(await catchError(confirm()))).to.include("has not debited");
      reported = undefined;
      expect(await pay(world, silent, waiting)).to.equal(1);
      await confirm();
      expect(await payoutsNotDebited(database)).to.deep.equal([]);
      expect(await pay(world, silent, waiting)).to.equal(2);
      expect(await findPayout(world, silent.payoutId)).to.include({ state, awaitsFunds: false });
      expect(String(await catchError(confirm()))).to.include("not waiting for a debit");
      // The provider's own report counts again.
      reported = true;
      await pay(world, silent);
      expect(await findPayout(world, silent.payoutId)).to.include({ state, awaitsFunds: true });
    },
  );

  it("keeps the funds if a worker records during a confirmation that they are still there, or is polling", async () => {
    let during: (() => Promise<unknown>) | undefined;
    let reported: boolean | undefined;
    world = await makeWalletWorld((bank) => ({
      ...bank,
      async lookUp(reference, known) {
        const found = await bank.lookUp(reference, known);
        if (found?.reference !== "silent") return found;
        const silent = { ...found, state: "pending" as const, completedAt: null };
        const answer = reported === undefined ? silent : { ...silent, awaitsFunds: reported };
        const meanwhile = during;
        during = undefined;
        await meanwhile?.();
        return answer;
      },
    }));
    const silent = await addDue(world, { reference: "silent" });
    world.balance = HUNDRED;
    await pay(world, silent);
    await changePayout(world, silent, { state: "submitted", awaitsFunds: true });
    during = async () => {
      reported = true;
      await pay(world, silent);
    };
    expect(String(await catchError(confirmDebit(silent)))).to.include("has polled it in the meantime");
    expect(await findPayout(world, silent.payoutId)).to.include({ awaitsFunds: true });
    reported = undefined;
    const leasedUntil = new Date(Date.now() + 20_000);
    await changePayout(world, silent, { leasedUntil });
    expect(String(await catchError(confirmDebit(silent)))).to.include("A worker is polling");
    expect(await findPayout(world, silent.payoutId)).to.deep.include({ awaitsFunds: true, leasedUntil });
    await changePayout(world, silent, { leasedUntil: null });
    await confirmDebit(silent);
    expect(await findPayout(world, silent.payoutId)).to.include({ awaitsFunds: false });
  });

  it("is listed with the payouts that have held its funds for ten minutes, accepted or not", async () => {
    world = await makeWalletWorld();
    const longAgo = new Date(Date.now() - 3_600_000);
    const allocated = { allocated: true, calledAt: longAgo };
    const created = await addDue(world, allocated);
    // Each call sets the time of the latest call, but the outcome has been unknown for an hour.
    const called = { state: "quarantined" as const, allocated: true, calledAt: new Date() };
    const quarantined = await addDue(world, { ...called, updatedAt: longAgo });
    await addDue(world, { ...called, updatedAt: new Date() });
    await addDue(world, { allocated: true, calledAt: new Date(), updatedAt: longAgo });
    await addDue(world, { calledAt: longAgo });
    const listed = (await payoutsNotDebited(world.context.database)).map(({ id }) => id);
    expect(listed).to.have.members([created.payoutId, quarantined.payoutId]);
  });

  it("lets a payout wait only briefly for funds that have left without a report", async () => {
    world = await makeWalletWorld();
    const ordered = await addDue(world);
    const waiting = await addDue(world, { createdAt: new Date(Date.now() - 3_600_000) });
    await changePayout(world, ordered, { state: "submitted", awaitsFunds: true, providerId: "transfer_1" });
    const delay = async () => {
      expect(await pay(world, waiting)).to.equal(0);
      const { nextAttemptAt, updatedAt } = await findPayout(world, waiting.payoutId);
      return Math.round(
        ((nextAttemptAt?.getTime() ?? 0) - Math.max(updatedAt.getTime(), Date.now())) / 1_000,
      );
    };
    world.balance = HUNDRED;
    expect(await delay()).to.be.within(25, 30);
    world.balance = HUNDRED - 1n;
    expect(await delay()).to.be.within(290, 300);
  });

  it("keeps the funds of a call whose outcome the provider no longer reports, and keeps its payout blocked", async () => {
    world = await makeWalletWorld();
    const { payoutId } = await addDue(world);
    await changePayout(
      world,
      { payoutId },
      { state: "quarantined", allocated: true, spentCall: 1, calledAt: new Date() },
    );
    await pay(world, { payoutId });
    const row = await findPayout(world, payoutId);
    expect(row).to.include({ state: "quarantined", allocated: true, spentCall: 1 });
    expect(row.blocked).to.include("npm run ops -- reorder");
  });

  it("frees a declined payout's funds", async () => {
    let declines = true;
    world = await makeWalletWorld((bank) => ({
      ...bank,
      create(order) {
        if (declines) throw new TransferDeclined("insufficient_balance");
        return bank.create(order);
      },
    }));
    const [older, newer] = await addTwo(world);
    world.balance = HUNDRED;
    expect(await pay(world, newer, older)).to.equal(0);
    expect(await findPayout(world, older.payoutId)).to.include({ state: "created", allocated: false });
    declines = false;
    expect(await pay(world, newer, older)).to.equal(1);
    expect(await readState(world, older)).to.equal("completed");
  });
});
