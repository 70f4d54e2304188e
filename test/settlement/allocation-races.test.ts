// The allocation of funds to payouts whose lease may be lost, and the check of a retry's funds while the indexer restarts.
import { afterEach, describe, it } from "bun:test";
import { expect } from "chai";
import { eq, sql } from "drizzle-orm";
import type { Address } from "viem";
import * as chain from "#core/db/chain.ts";
import { offRampBalance } from "#core/db/schema/off-ramp.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { tryPayoutsAgain } from "#core/payouts/try-again.ts";
import { createAllocation } from "#settlement/payouts/allocate-funds.ts";
import {
  addDue,
  addTwo,
  changePayout,
  countPaid,
  type Due,
  findPayout,
  HUNDRED,
  makeWalletWorld,
  pay,
  type WalletWorld,
} from "./support/wallet-world.ts";

let world: WalletWorld;
afterEach(() => world.close());

const place = ({ terms }: Due) => ({ token: terms.token, offRamp: terms.offRamp });

const store = ({ terms }: Due, balance: bigint) =>
  world.context.database.insert(offRampBalance).values({
    token: terms.token.toLowerCase() as Address,
    wallet: terms.offRamp.toLowerCase() as Address,
    ...{ balance, allocated: 0n, revision: 1 },
  });

async function lease(due: Due, ms: number) {
  await world.context.database
    .update(payout)
    .set({ leasedUntil: sql`date_trunc('milliseconds', clock_timestamp() + ${ms} * interval '1 ms')` })
    .where(eq(payout.id, due.payoutId));
  const row = await findPayout(world, due.payoutId);
  if (!row.leasedUntil) throw new Error();
  return { ...row, leasedUntil: row.leasedUntil };
}

const allocatedInWallet = async () =>
  (await world.context.database.select().from(offRampBalance))[0]?.allocated;

describe("the allocation statement", () => {
  it("takes nothing from the wallet for a payout whose lease was lost", async () => {
    world = await makeWalletWorld();
    const due = await addDue(world);
    await store(due, HUNDRED);
    const row = await lease(due, -60_000);
    expect(await createAllocation(world.context.database)({ row, place: place(due) })).to.equal("lost");
    expect(await allocatedInWallet()).to.equal(0n);
  });

  it("gives the wallet's funds to the payout whose lease is held, not to an older one whose lease was lost", async () => {
    world = await makeWalletWorld();
    const [older, newer] = await addTwo(world);
    await store(older, HUNDRED);
    const lost = await lease(older, -60_000);
    const held = await lease(newer, 60_000);
    const allocate = createAllocation(world.context.database);
    const results = await Promise.all([
      allocate({ row: lost, place: place(older) }),
      allocate({ row: held, place: place(newer) }),
    ]);
    expect(results).to.deep.equal(["lost", "allocated"]);
  });

  it("marks nothing under a lease that ends while the statement waits for the wallet's row", async () => {
    world = await makeWalletWorld();
    const due = await addDue(world);
    await store(due, HUNDRED);
    const row = await lease(due, 700);
    const { database } = world.context;
    let allocating: Promise<string> | undefined;
    await database.transaction(async (tx) => {
      await tx.select().from(offRampBalance).for("update");
      allocating = createAllocation(database)({ row, place: place(due) });
      await tx.execute(sql`select pg_sleep(1.5)`);
    });
    expect(await allocating).to.equal("lost");
    expect((await findPayout(world, due.payoutId)).allocated).to.equal(false);
  });

  it("never allocates more than the balance, even if 40 processes allocate at the same time", async () => {
    world = await makeWalletWorld();
    const dues: Due[] = [];
    for (let n = 0; n < 40; n++) dues.push(await addDue(world));
    const [first] = dues as [Due];
    await store(first, 7n * HUNDRED + 1n);
    const rows = await Promise.all(dues.map(async (due) => ({ due, row: await lease(due, 60_000) })));
    // Each process has its own payout and its own connection, so that each statement waits for the wallet's row.
    const results = await Promise.all(
      rows.map(({ due, row }) => createAllocation(world.context.database)({ row, place: place(due) })),
    );
    const marked = await world.context.database.$count(payout, eq(payout.allocated, true));
    expect(results.filter((one) => one === "allocated")).to.have.length(7);
    expect(marked).to.equal(7);
    expect(await allocatedInWallet()).to.equal(7n * HUNDRED);
  });
});

describe("a retry whose funds are checked", () => {
  /** A retry without funds of its own, and another merchant's payout whose funds are in the wallet. */
  async function setUp(during: () => Promise<unknown>) {
    let meanwhile: (() => Promise<unknown>) | undefined;
    let backReference = "";
    world = await makeWalletWorld((bank) => ({
      ...bank,
      async lookUp(reference, known) {
        const found = await bank.lookUp(reference, known);
        if (reference === backReference) {
          const run = meanwhile;
          meanwhile = undefined;
          await run?.();
        }
        return found && { ...found, state: "returned", refunded: false };
      },
    }));
    world.balance = HUNDRED;
    const back = await addDue(world);
    await pay(world, back);
    expect(await countPaid(world)).to.equal(1);
    backReference = (await findPayout(world, back.payoutId)).reference;
    await changePayout(world, back, {
      ...{ state: "returned", account: "gullible", nextAttemptAt: null, refunded: false },
      updatedAt: new Date(Date.now() - 3_600_000),
    });
    const { database, deployment, config } = world.context;
    const [payoutId = ""] = await database.transaction((tx) =>
      tryPayoutsAgain(tx, deployment, back.id, config.returnFeeBearer),
    );
    const retry = { ...back, payoutId };
    // Another payment, whose funds have arrived in the wallet with its settlement.
    const waiting = await addDue(world);
    world.balance = HUNDRED;
    meanwhile = during;
    return { retry, waiting };
  }

  it("does not use another payout's funds", async () => {
    const { retry, waiting } = await setUp(async () => undefined);
    expect(await pay(world, retry)).to.equal(1);
    expect(await pay(world, waiting)).to.equal(2);
  });

  it("does not use another payout's funds if the indexer restarts while the provider is asked", async () => {
    const { retry } = await setUp(async () => {
      // Ponder's recovery, in one transaction: rows of blocks that are not final are gone, and it is not ready.
      await world.context.database.transaction(async (tx) => {
        await tx.delete(chain.settlement);
        await tx.delete(chain.order);
        await tx.update(chain.ponderMeta).set({ value: { is_ready: 0 } });
      });
    });
    await pay(world, retry);
    expect(await countPaid(world), "the retry was ordered with the other payout's funds").to.equal(1);
  });

  it("does not use another payout's funds while the indexer is at an older block after a restart", async () => {
    const { retry } = await setUp(async () => {
      await world.context.database.delete(chain.settlement);
      await world.chain.head(9);
    });
    await pay(world, retry);
    expect(await countPaid(world), "the retry was ordered with the other payout's funds").to.equal(1);
  });
});
