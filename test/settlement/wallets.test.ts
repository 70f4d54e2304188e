// An off-ramp wallet that holds less than its payouts need. The oldest payouts are paid first, and the ordered total
// never exceeds the balance.
import { afterEach, describe, it, spyOn } from "bun:test";
import { expect } from "chai";
import { eq, sql } from "drizzle-orm";
import { type Address, getAddress } from "viem";
import { settlement } from "#core/db/chain.ts";
import { offRampWallet } from "#core/db/schema/off-ramp.ts";
import type { OrderId } from "#core/ids.ts";
import { createMetrics } from "#settlement/metrics.ts";
import { readWallets } from "#settlement/payouts/wallets.ts";
import { compareWallets } from "#settlement/reconciliation/check-wallets.ts";
import { blockHash } from "./support/chain-tables.ts";
import { insertPayout } from "./support/payouts.ts";
import {
  addDue,
  addSettled,
  addTwo,
  changePayout,
  countPaid,
  endDelays,
  HUNDRED,
  makeWalletWorld,
  pay,
  readState,
  startPayer,
  type WalletWorld,
} from "./support/wallet-world.ts";
import { PAYER } from "./support/world.ts";

let world: WalletWorld;
afterEach(() => world.close());

/** Reads the shortfall metric of each token, by its address in lower case. */
async function readShortfalls(): Promise<Map<string, number>> {
  const { database, client, config } = world.context;
  const { contract, tokens } = config.chain;
  const registry = createMetrics({
    ...{ database, client, operator: config.operator, guardian: undefined },
    watched: { contract, tokens, offRamp: config.offRamp },
  });
  const metric = await registry.getSingleMetric("off_ramp_shortfall")?.get();
  return new Map(metric?.values.map(({ labels, value }) => [String(labels.token), value]));
}

const readShortfall = async () => [...(await readShortfalls()).values()][0];

describe("a wallet that lacks funds", () => {
  it("pays the oldest payouts, reports the shortage, and pays all of them once it has enough", async () => {
    world = await makeWalletWorld();
    const [older, newer] = await addTwo(world);
    world.balance = 2n * HUNDRED - 1n;
    expect(await readShortfall()).to.equal(1);
    expect(await pay(world, newer, older)).to.equal(1);
    expect(await readState(world, older)).to.equal("completed");
    world.balance = HUNDRED;
    expect(await readShortfall()).to.equal(0);
    expect(await pay(world, newer, older)).to.equal(2);
  });

  it("counts a payout whose settlement a deep reorg has joined to another one", async () => {
    world = await makeWalletWorld();
    const { context } = world;
    const made = await addSettled(world);
    const [part, rest] = [20_000_000n, 80_000_000n];
    const done = { state: "completed", nextAttemptAt: null } as const;
    await insertPayout(context.database, made, { account: "gullible", amount: part, ...done });
    const payoutId = await insertPayout(context.database, made, {
      account: "gullible",
      amount: rest,
      settlementNumber: 2,
    });
    world.balance = rest - 1n;
    expect(await readShortfall()).to.equal(1);
    world.balance = rest;
    expect(await pay(world, { payoutId })).to.equal(1);
  });

  const EARLIER = "an earlier payout, after a later one was paid";
  const [TWENTY, EIGHTY] = [20_000_000n, 80_000_000n];
  it.each([
    [EARLIER, { settlementNumber: 2 }, { part: 0 }, EIGHTY, EIGHTY],
    [`${EARLIER}, with its settlement as it was`, { settlementNumber: 2 }, { part: 0 }, EIGHTY, TWENTY],
    [`${EARLIER} by operators`, { settlementNumber: 2, externalReference: "r" }, { part: 0 }, EIGHTY, TWENTY],
    ["a later part of a settlement that became smaller", { part: 0 }, { part: 1 }, TWENTY, TWENTY],
  ])("does not count what a deep reorg has left uncovered: %s", async (_, ofPaid, ofWaiting, paid, left) => {
    world = await makeWalletWorld();
    const { chain, context } = world;
    const made = await world.addIntent({ lastEmittedStatus: "SUCCEEDED" });
    await chain.fund(made.orderId, made.terms, 1, PAYER);
    await chain.settleAll(made.orderId, made.terms, [{ block: 10, amount: left, txHash: blockHash(10) }]);
    await chain.head(20);
    const old = { account: "gullible", settledAt: new Date(Date.now() - 60_000) };
    const done = { state: "completed", nextAttemptAt: null } as const;
    await insertPayout(context.database, made, { ...old, ...ofPaid, ...done, amount: paid });
    const amount = made.terms.amount - paid;
    const waiting = { ...old, ...ofWaiting, amount, settlementAmount: amount };
    const payoutId = await insertPayout(context.database, made, waiting);
    const other = await addDue(world, { settledAt: new Date(Date.now() - 30_000), account: "gullible" });
    world.balance = HUNDRED;
    expect(await readShortfall()).to.equal(0);
    expect(await pay(world, { payoutId }, other)).to.equal(1);
    expect(await readState(world, other)).to.equal("completed");
  });

  it("reads each payout of a payment with many parts a few times, not once per part", async () => {
    world = await makeWalletWorld();
    const { context } = world;
    const made = await addSettled(world);
    const PARTS = 300;
    const amount = made.terms.amount / BigInt(PARTS);
    for (let part = 0; part < PARTS; part++) await insertPayout(context.database, made, { part, amount });
    await context.database.transaction(async (tx) => {
      const [wallet] = await readWallets({ ...context, database: tx as never });
      expect(wallet?.need).to.equal(amount * BigInt(PARTS));
      const { rows } = await tx.execute<{ read: string }>(
        sql`select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables where relname = 'payout'`,
      );
      expect(Number(rows[0]?.read)).to.be.within(PARTS, 10 * PARTS);
    });
  });

  it("does not spend twice a balance that was read before an older payout was made", async () => {
    world = await makeWalletWorld();
    const [older, newer] = await addTwo(world);
    world.balance = 2n * HUNDRED - 1n;
    const execute = startPayer(world);
    await execute(older);
    world.balance -= HUNDRED;
    await execute(newer);
    expect(await countPaid(world)).to.equal(1);
    expect(await readState(world, newer)).to.equal("created");
  });

  it("does not spend a balance again on a payout that was planned after the balance was read", async () => {
    world = await makeWalletWorld();
    world.balance = HUNDRED;
    const execute = startPayer(world);
    await execute(await addDue(world));
    world.balance = 0n;
    const planned = await addDue(world);
    await execute(planned);
    expect(await countPaid(world)).to.equal(1);
    expect(await readState(world, planned)).to.equal("created");
  });

  it("counts payouts that were moved to it, in either case of its address", async () => {
    world = await makeWalletWorld();
    const { database, config } = world.context;
    const [settledHere, moved] = await addTwo(world);
    const elsewhere = "0x000000000000000000000000000000000000dEaD";
    const settleTo = (orderId: OrderId, offRamp: Address) =>
      database.update(settlement).set({ offRamp }).where(eq(settlement.orderId, orderId));
    await settleTo(settledHere.orderId, config.offRamp);
    await settleTo(moved.orderId, elsewhere);
    await database.insert(offRampWallet).values({
      account: "gullible",
      address: getAddress(config.offRamp),
      walletId: "w1",
      settings: "confirmed",
    });
    await changePayout(world, moved, { account: "gullible", wallet: "w1" });
    world.balance = 2n * HUNDRED - 1n;
    expect(await readShortfall()).to.equal(1);
    // The payout stays with its wallet if a reorg removes its settlement after it was ordered.
    await changePayout(world, moved, { allocated: true });
    await world.chain.removeOrder(moved.orderId);
    expect(await readWallets(world.context)).to.have.length(1);
  });

  it("does not depend on earlier payments, or on what a reorg removed", async () => {
    world = await makeWalletWorld();
    world.balance = 2n * HUNDRED;
    const [paid, gone] = [await addDue(world), await addDue(world)];
    expect(await pay(world, paid)).to.equal(1);
    await world.chain.removeOrder(gone.orderId);
    world.balance = HUNDRED;
    const next = await addDue(world);
    expect(await readShortfall()).to.equal(0);
    expect(await pay(world, gone, next)).to.equal(2);
  });
});

describe("a balance that cannot be read", () => {
  it("or cannot be stored delays only the payouts of its token", async () => {
    world = await makeWalletWorld();
    world.balance = HUNDRED;
    const broken = await addDue(world);
    const healthy = await addDue(world, {}, "USDT");
    world.endless.add(broken.terms.token.toLowerCase());
    expect(await pay(world, broken, healthy)).to.equal(1);
    expect(await readState(world, healthy)).to.equal("completed");
  });

  it("delays only the payouts of its token", async () => {
    world = await makeWalletWorld();
    world.balance = HUNDRED;
    const broken = await addDue(world);
    const healthy = await addDue(world, {}, "USDT");
    world.broken.add(broken.terms.token.toLowerCase());
    expect(await pay(world, broken, healthy)).to.equal(1);
    expect(await readState(world, healthy)).to.equal("completed");
    expect(await readState(world, broken)).to.equal("created");
    world.broken.clear();
    expect(await pay(world, broken)).to.equal(2);
  });

  it("hides no other wallet's shortage, and fails the reconciliation of wallets", async () => {
    world = await makeWalletWorld();
    const [broken, other] = [await addDue(world), await addDue(world, {}, "USDT")];
    world.broken.add(broken.terms.token.toLowerCase());
    expect([...(await readShortfalls())]).to.deep.equal([[other.terms.token.toLowerCase(), Number(HUNDRED)]]);
    const error = await compareWallets(world.context).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(Error);
  });
});

describe("a wallet that has enough funds", () => {
  it("is read once for consecutive batches", async () => {
    world = await makeWalletWorld();
    const due = [await addDue(world), await addDue(world), await addDue(world)];
    world.balance = 3n * HUNDRED;
    const execute = startPayer(world);
    await endDelays(world);
    const clock = spyOn(performance, "now").mockReturnValue(performance.now());
    for (const one of due) await execute(one);
    clock.mockRestore();
    expect(await countPaid(world)).to.equal(3);
    expect(world.balanceReads).to.equal(1);
  });
});
