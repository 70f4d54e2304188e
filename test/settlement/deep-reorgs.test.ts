// Reorgs that are deeper than the confirmations, and divide what was paid out into other settlements.
import { afterEach, beforeEach, describe, it } from "bun:test";
import { expect } from "chai";
import { and, asc, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import { type Hex, numberToHex } from "viem";
import * as chain from "#core/db/chain.ts";
import { connect } from "#core/db/client.ts";
import { auditLog } from "#core/db/schema/audit-log.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { intent } from "#core/db/schema/intents.ts";
import { ledgerPosting } from "#core/db/schema/ledger.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { dueNow } from "#core/payouts/due-now.ts";
import { payoutReference } from "#core/payouts/payout-reference.ts";
import { ask } from "#scripts/cli/ops/approve.ts";
import { retryPayouts } from "#scripts/cli/ops/changes.ts";
import { CONTROLLED } from "#scripts/cli/ops/controlled.ts";
import { turn } from "#scripts/cli/ops/controls.ts";
import { deadPayouts } from "#scripts/cli/ops/lists.ts";
import { until } from "#scripts/shared/wait.ts";
import { createPoster } from "#settlement/ledger/post.ts";
import type { OffRamp } from "#settlement/off-ramp/off-ramp.ts";
import { createPayoutHandler } from "#settlement/payouts/pay-out.ts";
import { createPayoutPlanner } from "#settlement/payouts/plan-payouts.ts";
import { comparePayments } from "#settlement/reconciliation/check-payments.ts";
import { createRecovery } from "#settlement/recovery/recover.ts";
import { blockHash, timeOf } from "./support/chain-tables.ts";
import { emptyBlock, relayingChain, settlementReceipt } from "./support/fake-rpc.ts";
import { openBook } from "./support/gullible-bank.ts";
import type { TestIntent } from "./support/intents.ts";
import { type Ended, listingBank } from "./support/listing-bank.ts";
import { working } from "./support/work.ts";
import { CONTRACT, MERCHANT, makeWorld, PAYER, type World } from "./support/world.ts";

/** The amounts of an order's milestones, and of the settlements that a test divides it into. */
const FIRST = 20_000_000n;
const REST = 80_000_000n;
const ALL = FIRST + REST;
const HALF = 50_000_000n;

let world: World;
/** The outcomes of transfers by reference. */
let ended: Map<string, Ended>;
let made: TestIntent;
/** Whether the node confirms settlements that it has not confirmed before. */
let honest: boolean;
/** The node responds about receipts once this has ended. */
let receiptsFrom: Promise<void>;
let receiptsAsked: number;

beforeEach(async () => {
  [honest, receiptsFrom, receiptsAsked, ended] = [true, Promise.resolve(), 0, new Map()];
  const { sent: _, ...rpc } = relayingChain();
  world = await makeWorld({
    offRamps: (database) => {
      const bank = listingBank(database, ended);
      return () => bank;
    },
    answers: {
      ...rpc,
      eth_blockNumber: () => "0x64",
      eth_getTransactionCount: () => numberToHex(0),
      eth_getBlockByNumber: () => ({ ...emptyBlock, baseFeePerGas: numberToHex(1_000_000_000) }),
      eth_getTransactionReceipt: async ([hash]) => {
        const { database } = world.context;
        receiptsAsked++;
        await receiptsFrom;
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
const TX = [blockHash(1_001), blockHash(1_002), blockHash(1_003)] as const;

/** Why the payouts that operators see need them. */
const reasons = async () => (await deadPayouts(world.context.database)).map(({ blocked }) => blocked);

/** Divides what is settled into these amounts, in a branch of its own, which is confirmed. */
async function settled(amounts: bigint[], fork: number, tx: readonly Hex[] = TX): Promise<void> {
  const settlements = amounts.map((amount, index) => ({
    amount,
    block: 10 + index,
    txHash: tx[index] ?? TX[0],
  }));
  await world.chain.settleAll(made.orderId, made.terms, settlements, fork);
  await world.chain.head(40 + fork);
}

/** Removes every settlement, in a branch of its own, which is confirmed. */
async function unsettled(fork: number): Promise<void> {
  const { chain: tables, context } = world;
  await context.database.delete(chain.settlement).where(eq(chain.settlement.orderId, made.orderId));
  const none = { settled: 0n, settlements: 0 };
  await tables.change(made.orderId, 10, { ...none, updatedBlockHash: blockHash(10, fork) });
  await tables.head(40 + fork);
}

const plan = () => working(world.context, "plan_payouts")();

/** Lets the worker execute every payout that is due, twice: once to order it, once more to show that nothing follows. */
async function pay(): Promise<void> {
  const { database } = world.context;
  const handle = createPayoutHandler(world.context, () => undefined);
  for (let round = 0; round < 2; round++) {
    const isOpen = inArray(payout.state, ["created", "quarantined"]);
    const open = await database.update(payout).set(dueNow).where(isOpen).returning();
    await handle(open.map(({ id }) => id));
  }
}

/** The payouts as `<settlement>.<part> <amount> <state>`. */
async function payouts(): Promise<string[]> {
  const rows = await world.context.database
    .select()
    .from(payout)
    .orderBy(asc(payout.settlementNumber), asc(payout.part), asc(payout.attempt));
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

  it("that leaves less than was paid has nothing paid out, and lists it, until the chain covers it again", async () => {
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
    const reason = "The payment's settlements on chain do not cover the payout.";
    expect(await reasons()).to.deep.equal([reason]);
    await settled([REST, FIRST], 2);
    await plan();
    await pay();
    expect(await reasons()).to.deep.equal([]);
    expect(await payouts()).to.deep.equal([`1.0 ${FIRST} completed`, `2.0 ${REST} completed`]);
    expect(await paid()).to.equal(ALL);
  });

  it.each([
    ["the only settlement", [ALL], [HALF]],
    ["the second settlement", [FIRST, REST], [FIRST, 30_000_000n]],
    ["the first settlement", [FIRST, REST], [50_000_000n]],
  ])(
    "that makes %s smaller reduces what was not ordered, and pays the rest once it is settled",
    async (_, planned, left) => {
      await settled(planned, 0);
      await plan();
      await settled(left, 1);
      await plan();
      await pay();
      expect(await paid()).to.equal(50_000_000n);
      const reduced = await world.context.database.$count(
        auditLog,
        and(eq(auditLog.action, "payout.reduced"), eq(auditLog.merchantId, MERCHANT)),
      );
      expect(reduced).to.equal(1);
      await settled([...left, 50_000_000n], 2);
      await plan();
      await pay();
      expect(await paid()).to.equal(ALL);
    },
  );

  const called = { calledAt: sql`clock_timestamp()` };
  it.each([
    ["refused", { ...called, state: "failed", nextAttemptAt: null } as const],
    ["declined", { ...called, state: "created", declinedCalls: 1 } as const],
  ])("leaves a payout payable if the one after it was %s", async (_, change) => {
    await settled([FIRST, REST], 0);
    await plan();
    await world.context.database.update(payout).set(change).where(eq(payout.settlementNumber, 2));
    await settled([FIRST], 1);
    await plan();
    await pay();
    expect(await paid()).to.equal(FIRST);
  });
});

describe("a deep reorg that leaves a part of a payout that was called", () => {
  /** The part of the later payout that the chain covers. */
  const COVERED = HALF - FIRST;
  const later = eq(payout.part, 1);

  const isCalled = { calledAt: new Date(Date.now() - 3_600_000), account: "gullible" };
  const CALLS = {
    declined: { ...isCalled, state: "created", declinedCalls: 1 },
    lost: { ...isCalled, state: "quarantined", allocated: true },
    refused: { ...isCalled, state: "failed", nextAttemptAt: null },
  } as const;

  const run = (command: "fail" | "settle-externally", given: Record<string, string> = {}) =>
    latest().then(({ id: subject }) => {
      const { database, offRamps } = world.context;
      const chain = async () => world.context;
      const parts = { database, offRamps: async () => offRamps, feeBearer: "merchant" as const, chain };
      return ask(parts, CONTROLLED, command, { subject, arguments: given, by: "Ada" });
    });
  const byHand = (amount: string, given: Record<string, string> = {}) => {
    const date = new Date().toISOString().slice(0, 10);
    return run("settle-externally", { amount, reference: "SEPA 7", date, ...given });
  };
  const retry = () => retryPayouts(world.context.database, made.id, "merchant", "Ada");
  const reasonFor = (attempt: Promise<unknown>) => attempt.then(String, (error: Error) => error.message);

  /** The latest attempt of the later payout. */
  async function latest() {
    const rows = await world.context.database.select().from(payout).where(later).orderBy(asc(payout.attempt));
    return rows.at(-1) as (typeof rows)[number];
  }

  /** Plans two payouts of which the later one is called, and leaves a part of it on chain. */
  async function leavePart(call: keyof typeof CALLS): Promise<void> {
    await settled([ALL], 0);
    await plan();
    await world.context.database.update(payout).set(CALLS[call]).where(later);
    await settled([HALF], 1);
    await plan();
    await pay();
  }

  /** Posts the ledger. @returns what reconciliation finds, and the postings of manual payouts and losses */
  async function reconciled(): Promise<{ found: string[]; postings: string[] }> {
    const { context } = world;
    await createPoster(context, 0)();
    const found = await comparePayments(context, [made.id]);
    const rows = await context.database.select().from(ledgerPosting);
    const unusual = rows.filter(({ kind }) => kind === "paid_externally" || kind === "lost");
    return {
      found: found.map(({ says }) => says),
      postings: unusual.map(({ kind, amount }) => `${kind} ${amount}`),
    };
  }

  /** Settles the rest in a second settlement, which has it paid out. */
  async function settleRest(): Promise<void> {
    await settled([HALF, HALF], 2);
    await plan();
    await pay();
  }

  it.each(["declined", "lost"] as const)(
    "has this part paid after operators have ended the payout and retried it: its call was %s",
    async (call) => {
      await leavePart(call);
      expect(await paid()).to.equal(FIRST);
      expect(await reasons()).to.have.length(1);
      expect((await reasons())[0])
        .to.include("They cover 30.00 USDC of it")
        .and.include("npm run ops -- fail");
      await run("fail");
      await retry();
      await pay();
      expect(await paid()).to.equal(HALF);
      expect(await payouts()).to.deep.equal([
        ...[`1.0 ${FIRST} completed`, `1.1 ${REST} failed`, `1.1 ${COVERED} completed`],
      ]);
      expect(await reasons()).to.deep.equal([]);
      expect(await reconciled()).to.deep.equal({ found: [], postings: [] });
      await settleRest();
      expect(await paid()).to.equal(ALL);
      expect(await reconciled()).to.deep.equal({ found: [], postings: [] });
    },
  );

  it("has this part paid by the retry of a payout that was refused", async () => {
    await leavePart("refused");
    await retry();
    await pay();
    expect(await paid()).to.equal(HALF);
    await settleRest();
    expect(await paid()).to.equal(ALL);
    expect(await reconciled()).to.deep.equal({ found: [], postings: [] });
  });

  it("has the retry of a returned payout reduced by what is missing, besides the fee", async () => {
    await settled([ALL], 0);
    await plan();
    await pay();
    const { id, reference } = await latest();
    const fee = 1_000_000n;
    ended.set(reference, { state: "returned", fee, refunded: true, failure: "closed account" });
    await settled([HALF], 1);
    const { database } = world.context;
    await database.update(payout).set(dueNow).where(eq(payout.id, id));
    await createPayoutHandler(world.context, () => undefined)([id]);
    await retry();
    await pay();
    expect((await payouts()).at(-1)).to.equal(`1.1 ${COVERED - fee} completed`);
    expect(await reconciled()).to.deep.equal({ found: [], postings: [] });
    await settleRest();
    expect(await reconciled()).to.deep.equal({ found: [], postings: [] });
    expect((await payouts()).slice(3)).to.deep.equal([`2.0 ${HALF} completed`]);
  });

  it.each(["declined", "lost", "refused"] as const)(
    "is paid manually up to what the chain covers, and the books agree: its call was %s",
    async (call) => {
      await leavePart(call);
      expect(await reasonFor(byHand("80.00"))).to.include("The chain covers only 30.00 USDC of payout_");
      await byHand("30.00");
      expect(await reconciled()).to.deep.equal({ found: [], postings: [`paid_externally ${COVERED}`] });
      await pay();
      expect(await paid()).to.equal(FIRST);
      await settleRest();
      expect(await paid()).to.equal(FIRST + HALF);
      expect(await reconciled()).to.deep.equal({ found: [], postings: [`paid_externally ${COVERED}`] });
    },
  );

  it("may have been paid manually before the chain has settled the rest, which is paid out", async () => {
    await leavePart("refused");
    await settleRest();
    expect(await reasonFor(byHand("30.00")))
      .to.include("owes 80.00 USDC: --amount must be exactly that")
      .and.include("--partial");
    await byHand("30.00", { partial: "yes" });
    await plan();
    await pay();
    expect(await paid()).to.equal(FIRST + HALF);
    expect(await reconciled()).to.deep.equal({ found: [], postings: [`paid_externally ${COVERED}`] });
  });

  it("is closed without a payment if the chain covers nothing of it, and paid out once it does", async () => {
    await leavePart("refused");
    await unsettled(2);
    expect(await reasonFor(byHand("80.00"))).to.include("The chain covers only 0.00 USDC");
    await byHand("0.00");
    await settled([ALL], 3);
    await plan();
    await pay();
    expect(await paid()).to.equal(ALL);
    expect((await reconciled()).found).to.deep.equal([]);
  });

  it("is paid manually in full if its contract has been replaced, because nobody can ask the chain", async () => {
    await leavePart("refused");
    const { database } = world.context;
    const [mine] = await database.select().from(deployment);
    if (!mine) throw new Error("The deployment is not in the database.");
    const { id: _, ...same } = mine;
    const contract = mine.contract.replace(/.$/, "f") as typeof mine.contract;
    await database.update(deployment).set({ current: false });
    const [another] = await database
      .insert(deployment)
      .values({ ...same, contract })
      .returning();
    if (!another) throw new Error("The new deployment is not in the database.");
    world.context.deployment = another;
    expect(await reasonFor(byHand("30.00", { partial: "yes" }))).to.include("must be paid in full");
    await byHand("80.00");
    expect((await payouts()).at(-1)).to.equal(`1.1 ${REST} completed`);
  });

  it("is covered by an ended attempt that has paid nevertheless, so that only the rest is paid out", async () => {
    await leavePart("lost");
    const { reference } = await latest();
    await run("fail");
    await retry();
    await pay();
    await world.context.database.execute(
      sql`insert into public.bank_book (id, reference, amount, currency) values ('late', ${reference}, ${REST.toString()}, 'USDC')`,
    );
    await world.context.database.update(payout).set(dueNow).where(eq(payout.reference, reference));
    const { id } = (
      await world.context.database.select().from(payout).where(eq(payout.reference, reference))
    )[0] ?? {
      id: "",
    };
    await createPayoutHandler(world.context, () => undefined)([id]);
    expect((await payouts())[1]).to.equal(`1.1 ${REST} completed`);
    await settleRest();
    expect(await paid()).to.equal(FIRST + REST + COVERED);
  });

  it("is not paid manually while the chain does not show yet what it covers", async () => {
    await leavePart("declined");
    await settled([ALL], 3);
    await world.chain.head(12);
    expect(await reasonFor(byHand("80.00"))).to.include("The indexer is catching up");
    await world.context.database.update(deployment).set({ highWaterBlock: 0 });
    expect(await reasonFor(byHand("80.00"))).to.include("does not show yet whether it covers");
    await world.chain.ready(false);
    expect(await reasonFor(byHand("80.00"))).to.include("The indexer is catching up");
    expect((await latest()).attempt).to.equal(1);
  });

  it("stays blocked until it has been checked again", async () => {
    const { context } = world;
    await leavePart("declined");
    const blocked = await reasons();
    expect(blocked).to.have.length(1);
    expect(blocked[0]).to.include("do not cover the payout");
    const { offRamps } = context;
    const silent = {
      ...(offRamps("OFF_RAMP_MOCK") as OffRamp),
      lookUp: () => Promise.reject(new Error("503")),
    };
    context.offRamps = () => silent;
    await pay();
    expect(await reasons(), "while the provider does not respond").to.deep.equal(blocked);
    context.offRamps = offRamps;
    await world.chain.ready(false);
    await pay();
    expect(await reasons(), "while the indexer is not ready").to.deep.equal(blocked);
    await world.chain.ready(true);
    await turn(context.database, "payouts", "test", "Ada");
    await pay();
    expect(await reasons(), "while payouts are stopped").to.deep.equal(blocked);
    await turn(context.database, "payouts", undefined, "Ada");
    await settled([ALL], 2);
    await context.database.update(deployment).set({ highWaterBlock: 0 });
    await world.chain.head(12);
    await pay();
    expect(await reasons(), "while the settlement is not confirmed").to.deep.equal(blocked);
    await world.chain.head(42);
    await pay();
    expect(await reasons()).to.deep.equal([]);
    expect(await paid()).to.equal(ALL);
  });
});

it("two processes that plan from different states of the chain plan each amount once", async () => {
  const item = { orderId: made.orderId, merchantId: MERCHANT, purpose: "plan_payouts" } as const;
  const items = [{ ...item, revision: 0, attempts: 0 }];
  const { promise, resolve } = Promise.withResolvers<void>();
  receiptsFrom = promise;
  await settled([FIRST, REST], 0);
  const before = createPayoutPlanner(world.context).handle(items, { block: 40, timestamp: timeOf(40) });
  await until(() => receiptsAsked > 0, { what: "The first process asking the node", timeoutMs: 5_000 });
  await settled([ALL], 1, [TX[2]]);
  receiptsFrom = Promise.resolve();
  await createPayoutPlanner(world.context).handle(items, { block: 41, timestamp: timeOf(41) });
  expect(await payouts()).to.have.length(2);
  resolve();
  await before;
  await pay();
  const { database } = world.context;
  const rows = await database.select().from(payout);
  expect(rows.reduce((sum, { amount }) => sum + amount, 0n)).to.equal(ALL);
  expect(await paid()).to.equal(ALL);
});

describe("payouts that the database has lost", () => {
  const lose = (where: SQL | undefined) =>
    world.context.database.transaction(async (tx) => {
      await tx.execute(sql`set local session_replication_role = replica`);
      await tx.delete(payout).where(and(eq(payout.intentId, made.id), where));
    });

  /**
   * Recovers like `npm run ops -- recover`, over a connection of its own.
   * @returns the kinds of losses that were found, except for events
   */
  async function recover(): Promise<string[]> {
    const database = connect(world.databaseUrl, { application: "ops", max: 4 });
    const recovery = createRecovery({ ...world.context, database, reads: database }, { since: new Date(0) });
    try {
      const found = await recovery.find();
      await recovery.apply({ by: "Ada", reason: "failover" });
      return found.map(({ kind }) => kind).filter((kind) => kind !== "event_missing");
    } finally {
      await database.$client.end();
    }
  }

  it("are recovered as reduced if the retry of a returned payout was reduced, so that the rest is paid out", async () => {
    await settled([ALL], 0);
    await plan();
    await pay();
    const { database } = world.context;
    const later = eq(payout.part, 1);
    const [first] = await database.select().from(payout).where(later);
    const fee = 1_000_000n;
    const change = { state: "returned", fee, refunded: true, failure: "closed account" } as const;
    ended.set(first?.reference ?? "", change);
    await settled([HALF], 1);
    await database.update(payout).set(dueNow).where(later);
    await createPayoutHandler(world.context, () => undefined)([first?.id ?? ""]);
    await retryPayouts(database, made.id, "merchant", "Ada");
    await pay();
    const before = await payouts();
    await lose(later);
    await recover();
    expect(await payouts()).to.deep.equal(before);
    await settled([HALF, HALF], 2);
    await plan();
    await pay();
    expect((await payouts()).at(-1)).to.equal(`2.0 ${HALF} completed`);
  });

  it("are planned with the same references if one part is missing, and not paid again", async () => {
    await settled([ALL], 0);
    await plan();
    await pay();
    await lose(eq(payout.part, 0));
    await plan();
    await pay();
    expect(await paid()).to.equal(ALL);
  });

  const second = eq(payout.settlementNumber, 2);
  it.each<[string, bigint[], SQL | undefined, bigint[]]>([
    ["all, of one settlement", [ALL], undefined, [ALL]],
    ["the first part", [ALL], eq(payout.part, 0), [ALL]],
    ["the second settlement's", [FIRST, REST], second, [FIRST, REST]],
    ["the second settlement's, which a reorg has joined to the first", [FIRST, REST], second, [ALL]],
    ["the second part, whose settlement a reorg has divided", [ALL], eq(payout.part, 1), [FIRST, REST]],
    ["all, after a reorg has joined the settlements", [FIRST, REST], undefined, [ALL]],
    ["all, after a reorg has divided the settlement", [ALL], undefined, [FIRST, REST]],
    ["all, after a reorg has divided a milestone", [ALL], undefined, [HALF, HALF]],
    ["the second part, after a reorg has divided its milestone", [ALL], eq(payout.part, 1), [HALF, HALF]],
  ])("are recovered and not paid again: %s", async (_, before, lost, then) => {
    await settled(before, 0);
    await plan();
    await pay();
    await lose(lost);
    await settled(then, 1);
    await recover();
    await plan();
    await pay();
    expect((await payouts()).every((line) => line.endsWith("completed"))).to.equal(true);
    expect(await paid()).to.equal(ALL);
  });

  it("are recovered although a reorg still leaves less than was planned", async () => {
    await settled([FIRST, REST], 0);
    await plan();
    await pay();
    await lose(second);
    await settled([FIRST], 1);
    await recover();
    await settled([ALL], 2, [TX[2]]);
    await plan();
    await pay();
    expect(await paid()).to.equal(ALL);
  });

  it("are recovered although a reorg still leaves less than the amount of a part", async () => {
    await settled([ALL], 0);
    await plan();
    await pay();
    await lose(undefined);
    await settled([HALF], 1);
    await recover();
    expect(await payouts()).to.deep.equal([`1.0 ${FIRST} completed`, `1.1 ${REST} completed`]);
    await settled([HALF, HALF], 2);
    await plan();
    await pay();
    expect(await paid()).to.equal(ALL);
  });

  it("are recovered, and their transfers not acknowledged, while a reorg has removed every settlement", async () => {
    await settled([FIRST, REST], 0);
    await plan();
    await pay();
    await lose(second);
    await unsettled(1);
    expect(await recover())
      .to.include("settlement_without_payout")
      .and.not.include("unknown_transfer");
    await settled([ALL], 2, [TX[2]]);
    await plan();
    await pay();
    expect(await payouts()).to.deep.equal([`1.0 ${FIRST} completed`, `2.0 ${REST} completed`]);
    expect(await paid()).to.equal(ALL);
  });

  const one = 10_000_000n;
  it("are recovered while a reorg has removed a settlement of many milestones, which is later joined", async () => {
    await world.context.database.delete(chain.milestoneRelease);
    for (let number = 1; number <= 10; number++) {
      await world.chain.releaseMilestone(made.orderId, number, one, one * BigInt(number), 5);
    }
    await settled([one, 9n * one], 0);
    await plan();
    await pay();
    await lose(second);
    await settled([one], 1);
    await recover();
    await settled([ALL], 2, [TX[2]]);
    await plan();
    await pay();
    expect(await paid()).to.equal(ALL);
  });

  it("do not show that the receipt of a settlement was verified", async () => {
    await settled([FIRST, REST], 0);
    await plan();
    const { database } = world.context;
    const [, later] = await database.select().from(payout).orderBy(asc(payout.settlementNumber));
    await createPayoutHandler(world.context, () => undefined)([later?.id ?? ""]);
    await lose(second);
    await settled([ALL], 1, [TX[2]]);
    honest = false;
    await recover();
    await pay();
    expect(await payouts()).to.deep.equal([`1.0 ${FIRST} created`, `2.0 ${REST} completed`]);
    honest = true;
    await pay();
    expect(await paid()).to.equal(ALL);
  });

  it("are not recovered if their transfer failed and the payment was planned in full since, which leaves what is settled later payable", async () => {
    await settled([FIRST, REST], 0);
    await plan();
    await pay();
    const { database } = world.context;
    const [failed] = await database.select().from(payout).where(second);
    ended.set(failed?.reference ?? "", { state: "failed", failure: "closed account" });
    await lose(second);
    await settled([ALL], 1);
    await plan();
    await pay();
    expect(await recover()).to.deep.equal(["unknown_transfer"]);
    expect(await payouts()).to.deep.equal([`1.0 ${FIRST} completed`, `1.1 ${REST} completed`]);
    expect(await comparePayments(world.context, [made.id])).to.deep.equal([]);
  });

  /** Pays half of a payment whose second payout was reduced, and restores that payout as it was planned. */
  async function restoreReduced(change: Partial<typeof payout.$inferInsert>): Promise<void> {
    await settled([ALL], 0);
    await plan();
    await settled([HALF], 1);
    await pay();
    expect(await payouts()).to.deep.equal([`1.0 ${FIRST} completed`, `1.1 ${HALF - FIRST} completed`]);
    const asPlanned = { amount: REST, state: "created", completedAt: null, finalAt: null } as const;
    await world.context.database
      .update(payout)
      .set({ ...asPlanned, providerId: null, calledAt: null, ...dueNow, ...change })
      .where(eq(payout.part, 1));
  }

  it.each([
    ["before anything else runs", false],
    ["after a worker has quarantined them", true],
  ])(
    "are reduced to the amount of their transfer if the chain left that amount, %s",
    async (_, isFirstPaid) => {
      await restoreReduced({});
      await settled([HALF, HALF], 2);
      if (isFirstPaid) {
        await pay();
        expect((await payouts())[1]).to.equal(`1.1 ${REST} quarantined`);
      }
      expect(await recover()).to.deep.equal(["payout_behind"]);
      expect(await recover()).to.deep.equal([]);
      await plan();
      await pay();
      const amounts = [`1.0 ${FIRST}`, `1.1 ${HALF - FIRST}`, `2.0 ${HALF}`];
      expect(await payouts()).to.deep.equal(amounts.map((one) => `${one} completed`));
      expect(await paid()).to.equal(ALL);
      const reduced = eq(auditLog.action, "payout.reduced");
      expect(await world.context.database.$count(auditLog, reduced)).to.equal(2);
    },
  );

  it("are listed and not reduced if the chain contradicts the amount of their transfer", async () => {
    await restoreReduced({});
    await settled([ALL], 2);
    expect(await recover()).to.deep.equal(["payout_behind"]);
    expect(await recover()).to.deep.equal(["payout_behind"]);
    expect((await payouts())[1]).to.equal(`1.1 ${REST} created`);
  });

  it("are not reduced if they were ordered with a different amount than the provider reports", async () => {
    await restoreReduced({ calledAt: new Date() });
    expect(await recover()).to.deep.equal([]);
    expect((await payouts())[1]).to.equal(`1.1 ${REST} created`);
  });

  it("are recovered with both attempts if they were reduced, and their first transfer failed", async () => {
    await restoreReduced({});
    const { database, deployment } = world.context;
    const [first] = await database.select().from(payout).where(eq(payout.part, 1));
    ended.set(first?.reference ?? "", { state: "failed", failure: "closed account" });
    const key = { intentId: made.id, settlementNumber: 1, part: 1, attempt: 2 };
    await database.execute(sql`insert into public.bank_book (id, reference, amount, currency)
      values (gen_random_uuid()::text, ${payoutReference(deployment, key)}, ${(HALF - FIRST).toString()}, 'USDC')`);
    await recover();
    expect(await recover()).to.deep.equal([]);
    const rows = await database.select().from(payout).where(eq(payout.part, 1)).orderBy(asc(payout.attempt));
    expect(rows.map(({ attempt, amount, state }) => ({ attempt, amount, state }))).to.deep.equal([
      { attempt: 1, amount: HALF - FIRST, state: "failed" },
      { attempt: 2, amount: HALF - FIRST, state: "completed" },
    ]);
    expect(rows[0]?.providerId).to.be.a("string");
  });

  const isRefused = { state: "failed", nextAttemptAt: null, calledAt: sql`clock_timestamp()` } as const;
  it.each([
    // The database has the second part as it was planned. It was reduced, refused by the provider, and then paid.
    ["they were reduced before they were paid", undefined],
    ["a retry was reduced", isRefused],
  ])("are recovered with the amount to which %s", async (_, change) => {
    await settled([ALL], 0);
    await plan();
    const { database, deployment } = world.context;
    if (change) await database.update(payout).set(change).where(eq(payout.part, 1));
    const key = { intentId: made.id, settlementNumber: 1, part: 1, attempt: 2 };
    await database.execute(sql`insert into public.bank_book (id, reference, amount, currency)
      values (gen_random_uuid()::text, ${payoutReference(deployment, key)}, ${(HALF - FIRST).toString()}, 'USDC')`);
    await settled([HALF], 1);
    await recover();
    await pay();
    expect(await paid()).to.equal(HALF);
    await settled([HALF, HALF], 2);
    await plan();
    await pay();
    expect(await paid()).to.equal(ALL);
  });

  it("are recovered without paying the fee of a returned one that the provider no longer reports", async () => {
    await settled([ALL], 0);
    await plan();
    await pay();
    const { database, deployment } = world.context;
    const [returned] = await database.select().from(payout).where(eq(payout.part, 1));
    ended.set(returned?.reference ?? "", { state: "returned", fee: 0n, refunded: true });
    const key = { intentId: made.id, settlementNumber: 1, part: 1, attempt: 2 };
    await database.execute(sql`insert into public.bank_book (id, reference, amount, currency)
      values (gen_random_uuid()::text, ${payoutReference(deployment, key)}, ${(REST - 1_000_000n).toString()}, 'USDC')`);
    const before = await paid();
    await lose(undefined);
    await recover();
    await plan();
    await pay();
    expect(await payouts()).to.have.length(3);
    expect(await paid()).to.equal(before);
  });

  it("are recovered although a reorg has removed most of their milestones", async () => {
    const { chain: tables, context } = world;
    const release = async (from: number, to: number) => {
      for (let number = from; number <= to; number++) {
        await tables.releaseMilestone(made.orderId, number, one, one * BigInt(number), 5);
      }
    };
    await context.database.delete(chain.milestoneRelease);
    await release(1, 10);
    await settled([ALL], 0);
    await plan();
    await pay();
    await lose(undefined);
    await context.database.delete(chain.milestoneRelease).where(gt(chain.milestoneRelease.number, 2));
    await settled([2n * one], 1);
    await recover();
    await release(3, 10);
    await settled([2n * one, 8n * one], 2);
    await plan();
    await pay();
    expect(await paid()).to.equal(ALL);
  });
});
