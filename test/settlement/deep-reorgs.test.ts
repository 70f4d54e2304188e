// Reorgs that are deeper than the confirmations, and divide what was paid out into other settlements.
import { afterEach, beforeEach, describe, it } from "bun:test";
import { expect } from "chai";
import { asc, eq, sql } from "drizzle-orm";
import type { Hex } from "viem";
import * as chain from "#core/db/chain.ts";
import { intent } from "#core/db/schema/intents.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { dueNow } from "#core/payouts/due-now.ts";
import { createPayoutHandler } from "#settlement/payouts/pay-out.ts";
import { blockHash } from "./support/chain-tables.ts";
import { settlementReceipt } from "./support/fake-rpc.ts";
import { gullibleBank, openBook } from "./support/gullible-bank.ts";
import type { TestIntent } from "./support/intents.ts";
import { working } from "./support/work.ts";
import { CONTRACT, makeWorld, PAYER, type World } from "./support/world.ts";

/** The amounts of an order's milestones, and of the settlements that a test divides it into. */
const FIRST = 20_000_000n;
const REST = 80_000_000n;
const ALL = FIRST + REST;

let world: World;
let made: TestIntent;
/** Whether the node confirms settlements that it has not confirmed before. */
let honest: boolean;

beforeEach(async () => {
  honest = true;
  world = await makeWorld({
    offRamps: (database) => () => gullibleBank(database),
    answers: {
      eth_blockNumber: () => "0x64",
      eth_getTransactionReceipt: async ([hash]) => {
        const { database } = world.context;
        const rows = await database
          .select()
          .from(chain.settlement)
          .where(eq(chain.settlement.txHash, hash as Hex));
        return rows[0] && honest ? settlementReceipt({ ...rows[0], contract: CONTRACT }) : null;
      },
    },
  });
  await openBook(world.context.database);
  made = await world.addIntent({ lastEmittedStatus: "SUCCEEDED" });
  await world.chain.fund(made.orderId, made.terms, 1, PAYER);
  await world.chain.releaseMilestone(made.orderId, 1, FIRST, FIRST, 5);
  await world.chain.releaseMilestone(made.orderId, 2, REST, ALL, 6);
});
afterEach(() => world.close());

/** The transactions have the same hashes in every branch. */
const TX = [blockHash(1_001), blockHash(1_002)] as const;

/** Divides what is settled into these amounts, in a branch of its own, which is confirmed. */
async function settled(amounts: bigint[], fork: number): Promise<void> {
  const settlements = amounts.map((amount, index) => ({
    amount,
    block: 10 + index,
    txHash: TX[index] ?? TX[0],
  }));
  await world.chain.settleAll(made.orderId, made.terms, settlements, fork);
  await world.chain.head(40 + fork);
}

const plan = () => working(world.context, "plan_payouts")();

/** Lets the worker execute every payout that is due, twice: once to order it, once more to show that nothing follows. */
async function pay(): Promise<void> {
  const { database } = world.context;
  const handle = createPayoutHandler(world.context, () => undefined);
  for (let round = 0; round < 2; round++) {
    const open = await database.update(payout).set(dueNow).where(eq(payout.state, "created")).returning();
    await handle(open.map(({ id }) => id));
  }
}

/** The payouts as `<settlement>.<part> <amount> <state>`. */
async function payouts(): Promise<string[]> {
  const rows = await world.context.database
    .select()
    .from(payout)
    .orderBy(asc(payout.settlementNumber), asc(payout.part));
  return rows.map(
    ({ settlementNumber, part, amount, state }) => `${settlementNumber}.${part} ${amount} ${state}`,
  );
}

/** What the bank has paid. */
async function paid(): Promise<bigint> {
  const { rows } = await world.context.database.execute<{ paid: string }>(
    sql`select coalesce(sum(amount), 0)::text as paid from public.bank_book`,
  );
  return BigInt(rows[0]?.paid ?? 0);
}

describe("a deep reorg after payouts", () => {
  it("that makes a settlement larger has the rest paid out", async () => {
    await settled([FIRST], 0);
    await plan();
    await pay();
    expect(await paid()).to.equal(FIRST);
    await settled([ALL], 1);
    await Promise.all([plan(), plan()]);
    await pay();
    expect(await payouts()).to.deep.equal([`1.0 ${FIRST} completed`, `1.1 ${REST} completed`]);
    expect(await paid()).to.equal(ALL);
  });

  it("that makes the settlement of a final payment larger has the rest paid out", async () => {
    await settled([FIRST], 0);
    await plan();
    await pay();
    await world.context.database.update(intent).set({ lastEmittedStatus: "FINAL" });
    await settled([ALL], 1);
    await plan();
    await pay();
    expect(await paid()).to.equal(ALL);
  });

  it("that divides a settlement has nothing paid out again", async () => {
    await settled([ALL], 0);
    await plan();
    await pay();
    await settled([FIRST, REST], 1);
    await plan();
    await pay();
    expect(await payouts()).to.deep.equal([`1.0 ${FIRST} completed`, `1.1 ${REST} completed`]);
    expect(await paid()).to.equal(ALL);
  });

  it("that joins settlements leaves each payout payable once, also those that were not ordered yet", async () => {
    await settled([FIRST], 0);
    await plan();
    await pay();
    await settled([FIRST, REST], 0);
    await plan();
    await settled([ALL], 1);
    await plan();
    expect(await payouts()).to.deep.equal([`1.0 ${FIRST} completed`, `2.0 ${REST} created`]);
    honest = false;
    await pay();
    expect(await paid()).to.equal(FIRST);
    honest = true;
    await pay();
    expect(await payouts()).to.deep.equal([`1.0 ${FIRST} completed`, `2.0 ${REST} completed`]);
    expect(await paid()).to.equal(ALL);
  });

  it("that leaves less than was paid has nothing paid out until the chain covers it again", async () => {
    await settled([FIRST, REST], 0);
    await plan();
    const { database } = world.context;
    // The later payout was ordered, the earlier one was not.
    const handle = createPayoutHandler(world.context, () => undefined);
    const [, second] = await database.select().from(payout).orderBy(asc(payout.settlementNumber));
    await handle([second?.id ?? ""]);
    expect(await paid()).to.equal(REST);
    await settled([REST], 1);
    await plan();
    await pay();
    expect(await payouts()).to.deep.equal([`1.0 ${FIRST} created`, `2.0 ${REST} completed`]);
    await settled([REST, FIRST], 2);
    await plan();
    await pay();
    expect(await payouts()).to.deep.equal([`1.0 ${FIRST} completed`, `2.0 ${REST} completed`]);
    expect(await paid()).to.equal(ALL);
  });
});
