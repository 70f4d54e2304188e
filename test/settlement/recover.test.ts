// `npm run ops -- recover`: a database that lost its latest writes through an asynchronous failover or a restore
// recovers them from the chain and the provider, and nobody is paid twice. Findings D9 and S4 (docs/glossary.md).
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import {
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  parseTransaction,
  zeroAddress,
  zeroHash,
} from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { order } from "#core/db/chain.ts";
import { connect, type Database, type Transaction } from "#core/db/client.ts";
import { auditLog } from "#core/db/schema/audit-log.ts";
import { event } from "#core/db/schema/events.ts";
import { intent } from "#core/db/schema/intents.ts";
import { ledgerPosting } from "#core/db/schema/ledger.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { signer, transaction, transactionAttempt, transactionOrder } from "#core/db/schema/transactions.ts";
import { workItem } from "#core/db/schema/work.ts";
import { type OrderId, toIntentId } from "#core/ids.ts";
import { createIntentReader } from "#core/intent/read-intent.ts";
import { formatAmount } from "#core/money.ts";
import { payoutReference } from "#core/payouts/payout-reference.ts";
import { nextAmounts } from "#core/payouts/try-again.ts";
import { approve, ask } from "#scripts/cli/ops/approve.ts";
import { retryPayouts } from "#scripts/cli/ops/changes.ts";
import { CONTROLLED } from "#scripts/cli/ops/controlled.ts";
import { recover } from "#scripts/cli/ops/recover.ts";
import { createResolver } from "#settlement/escrow/resolve-transactions.ts";
import { groupForSettlement } from "#settlement/escrow/settlement-groups.ts";
import { sealUpTo, verifyChain } from "#settlement/events/audit-hash-chain.ts";
import { createObserver } from "#settlement/events/observe.ts";
import { createPoster } from "#settlement/ledger/post.ts";
import { createPayoutHandler } from "#settlement/payouts/pay-out.ts";
import { createPayoutPlanner } from "#settlement/payouts/plan-payouts.ts";
import { writeControl } from "#settlement/payouts/read-controls.ts";
import { createRecovery } from "#settlement/recovery/recover.ts";
import type { Context } from "#settlement/runtime/context.ts";
import { blockHash, settlementTxHash } from "./support/chain-tables.ts";
import { emptyBlock, relayingChain, settlementReceipt } from "./support/fake-rpc.ts";
import { openBook, paidTimes } from "./support/gullible-bank.ts";
import type { TestIntent } from "./support/intents.ts";
import { type Ended, listingBank } from "./support/listing-bank.ts";
import { tracking } from "./support/work.ts";
import { CONTRACT, MERCHANT, makeWorld, PAYER, type World } from "./support/world.ts";

let world: World;
let context: Context;
let database: Database;
const ended = new Map<string, Ended>();
const receipts = new Map<string, object>();
/** The operator's transactions on chain. */
const mined: { hash: Hex; nonce: number; raw: Hex }[] = [];

const { sent: _, ...rpc } = relayingChain();
const answers = {
  ...rpc,
  eth_getTransactionReceipt: ([hash]: unknown[]) => receipts.get(hash as string) ?? null,
  eth_getTransactionCount: () => numberToHex(mined.length),
  eth_blockNumber: () => numberToHex(40),
  eth_getBlockByNumber: ([number, full]: unknown[]) => ({
    ...emptyBlock,
    baseFeePerGas: numberToHex(1_000_000_000),
    transactions: full && number === "0x2" ? mined.map(showSent) : [],
  }),
};

/** Returns a transaction in a node's format. */
function showSent({ hash, raw }: { hash: Hex; raw: Hex }) {
  const sent = parseTransaction(raw);
  return {
    ...{ hash, blockHash: blockHash(2), blockNumber: "0x2", transactionIndex: "0x0", type: "0x2" },
    ...{ from: world.context.relayer.account.address, to: sent.to, input: sent.data ?? "0x", value: "0x0" },
    ...{ chainId: numberToHex(sent.chainId ?? 0), nonce: numberToHex(sent.nonce ?? 0), accessList: [] },
    ...{ gas: numberToHex(sent.gas ?? 0n), maxFeePerGas: numberToHex(sent.maxFeePerGas ?? 0n) },
    maxPriorityFeePerGas: numberToHex(sent.maxPriorityFeePerGas ?? 0n),
    ...{ r: sent.r, s: sent.s, yParity: numberToHex(sent.yParity ?? 0), v: numberToHex(sent.yParity ?? 0) },
  };
}

/** In wei. It is odd, so two orders share it unequally. */
const NETWORK_FEE = 7n;

const receiptOf = (txHash: Hex) => ({
  ...settlementReceipt({
    ...{ orderId: zeroHash, offRamp: zeroAddress, amount: 0n, contract: CONTRACT, txHash, block: 2 },
  }),
  ...{ gasUsed: numberToHex(NETWORK_FEE), effectiveGasPrice: "0x1", logs: [] },
});

beforeAll(async () => {
  world = await makeWorld({
    answers,
    offRamps: (its) => {
      const bank = listingBank(its, ended);
      return () => bank;
    },
  });
  database = connect(world.databaseUrl, { application: "ops", max: 4 });
  const { config, guard } = world.context;
  const reader = createIntentReader({ reads: database, config, guard });
  context = { ...world.context, database, reads: database, reader };
  await openBook(database);
  await world.chain.head(40);
});
afterAll(async () => {
  await database.$client.end();
  await world.close();
});

const scope = { since: new Date(0) };
const decision = { by: "Ada", reason: "failover of 23 November" };

const work = ({ orderId }: TestIntent, purpose: "plan_payouts" | "observe") => [
  { orderId, purpose, merchantId: "", revision: 0, attempts: 0 },
];
const observe = (made: TestIntent) =>
  createObserver(context).handle(work(made, "observe"), { block: 40, timestamp: 0 });
const payoutsOf = ({ id }: Pick<TestIntent, "id">) =>
  database.select().from(payout).where(eq(payout.intentId, id)).orderBy(payout.attempt);

async function settled(): Promise<TestIntent> {
  const made = await world.addIntent();
  await world.chain.fund(made.orderId, made.terms, 1, PAYER);
  await world.chain.settle(made.orderId, made.terms, 10);
  const txHash = settlementTxHash(made.orderId);
  const { amount, offRamp } = made.terms;
  receipts.set(
    txHash,
    settlementReceipt({ orderId: made.orderId, offRamp, amount, contract: CONTRACT, txHash, block: 10 }),
  );
  return made;
}

const plan = (made: TestIntent) =>
  createPayoutPlanner(context).handle(work(made, "plan_payouts"), { block: 40, timestamp: 0 });
const pay = async (made: TestIntent) => {
  const rows = await payoutsOf(made);
  await database
    .update(payout)
    .set({ nextAttemptAt: sql`clock_timestamp()` })
    .where(eq(payout.intentId, made.id));
  await createPayoutHandler(context, () => undefined)(rows.map(({ id }) => id));
};

/** Creates a payment that is paid out, posted and reported. */
async function paid(): Promise<TestIntent> {
  const made = await settled();
  await plan(made);
  await pay(made);
  await createPoster(context, 0)();
  await observe(made);
  return made;
}

const referenceOf = ({ id: intentId }: TestIntent, attempt: number) =>
  payoutReference(context.deployment, { intentId, settlementNumber: 1, part: 0, attempt });

/** Creates a payment whose first payout was returned and whose second one was paid. */
async function retried(): Promise<TestIntent> {
  const made = await paid();
  ended.set(referenceOf(made, 1), { state: "returned", refunded: true, failure: "account closed" });
  await pay(made);
  await retryPayouts(database, made.id, "merchant", "Ada");
  await pay(made);
  return made;
}

/**
 * Removes the writes of the last seconds with everything that refers to them: the rows, and the amounts that they had
 * added to balances.
 */
const rewind = (remove: (tx: Transaction) => Promise<unknown>): Promise<void> =>
  database.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    await remove(tx);
    await tx.execute(sql`delete from gateway.ledger_balance`);
    await tx.execute(sql`insert into gateway.ledger_balance (deployment_id, merchant_id, mode, currency, account, amount)
      select deployment_id, merchant_id, mode, currency, account, sum(amount) from (
        select deployment_id, merchant_id, mode, currency, from_account as account, -amount as amount from gateway.ledger_posting
        union all select deployment_id, merchant_id, mode, currency, to_account, amount from gateway.ledger_posting) a
      group by 1, 2, 3, 4, 5`);
  });

/** Deletes events, which the database otherwise refuses. */
const deleteEvents = ({ id }: TestIntent, ...where: SQL[]) =>
  database.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.delete(event).where(and(eq(event.intentId, id), ...where));
  });

const forget = ({ id }: TestIntent, ...attempts: number[]) =>
  rewind(async (tx) => {
    const lost = and(eq(payout.intentId, id), inArray(payout.attempt, attempts));
    const rows = await tx.delete(payout).where(lost).returning({ id: payout.id });
    const ids = rows.map((row) => row.id);
    await tx.delete(ledgerPosting).where(inArray(ledgerPosting.payoutId, ids));
    // A lost write also loses every later one, so the events after the first lost event are deleted as well.
    await tx.execute(sql`delete from gateway.event where intent_id = ${sql.param(id, intent.id)} and sequence >= (
      select min(sequence) from gateway.event where intent_id = ${sql.param(id, intent.id)} and decided_by in (select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb)))`);
    await tx.update(intent).set({ lastEmittedStatus: "SUCCEEDED" }).where(eq(intent.id, id));
  });

/** Deletes everything about the payment, as if it had never been created. */
const forgetIntent = ({ id, orderId }: TestIntent) =>
  rewind(async (tx) => {
    for (const table of ["payout", "event", "ledger_posting"]) {
      await tx.execute(
        sql`delete from gateway.${sql.raw(table)} where intent_id = ${sql.param(id, intent.id)}`,
      );
    }
    await tx.delete(intent).where(eq(intent.id, id));
    await tx.execute(
      sql`delete from gateway.work_item where order_id = ${sql.param(orderId, workItem.orderId)}`,
    );
  });

async function recoverAll() {
  const recovered = await recover(context, scope, decision, 0);
  const times = [...(await paidTimes(database)).values()];
  expect(times.filter((count) => count !== 1)).to.deep.equal([]);
  return recovered;
}

/** Expects no differences and no open repairs, and that a second run finds nothing. */
async function expectClean({ left, differences }: Awaited<ReturnType<typeof recover>>) {
  expect([...left, ...differences].map(({ says }) => says)).to.deep.equal([]);
  const again = await createRecovery(context, scope).find();
  expect(again.filter(({ acknowledged }) => !acknowledged)).to.deep.equal([]);
}

const lowerCase = (value: unknown) => JSON.parse(JSON.stringify(value).toLowerCase());

const kinds = (found: readonly { kind: string }[]) => found.map(({ kind }) => kind).sort();

describe("recovery from a loss of recent writes (D9)", () => {
  it("a dry run reports what is lost, and changes nothing", async () => {
    const made = await paid();
    await forget(made, 1);
    const found = await createRecovery(context, scope).find();
    expect(kinds(found)).to.include("settlement_without_payout");
    expect(found.find(({ about }) => about === `${made.orderId}-1`)?.says).to.match(
      /attempt 1 is transfer .* \(completed\)/,
    );
    expect(await payoutsOf(made)).to.deep.equal([]);
    await expectClean(await recoverAll());
  });

  it("a lost payout that was paid is stored as paid", async () => {
    const made = await paid();
    await forget(made, 1);
    await expectClean(await recoverAll());
    const [row, ...others] = await payoutsOf(made);
    expect(others).to.deep.equal([]);
    expect(row).to.include({ state: "completed", reference: referenceOf(made, 1), attempt: 1 });
    expect(row?.calledAt).to.be.an.instanceOf(Date);
  });

  it("a payout whose state was restored to an earlier one is queried", async () => {
    const made = await paid();
    const earlier = {
      state: "submitted",
      failure: "not delivered",
      completedAt: null,
      finalAt: null,
    } as const;
    await database.update(payout).set(earlier).where(eq(payout.intentId, made.id));
    const recovered = await recoverAll();
    expect(kinds(recovered.applied)).to.include("payout_behind");
    await expectClean(recovered);
    expect((await payoutsOf(made))[0]).to.include({ state: "completed", failure: null });
  });

  it.each([
    ["its second attempt is lost", [2], "returned"],
    ["its second attempt is lost, and the first one is not known to have come back", [2], "completed"],
    ["both attempts are lost", [1, 2], null],
  ] as const)(
    "a payout that was returned and paid again is not paid a third time: %s",
    async (_, lost, first) => {
      const made = await retried();
      await forget(made, ...lost);
      const back = { retried: false, ...(first && { state: first }) };
      await database.update(payout).set(back).where(eq(payout.intentId, made.id));
      await expectClean(await recoverAll());
      const rows = (await payoutsOf(made)).map(({ attempt, state, retried: again }) => ({
        attempt,
        state,
        again,
      }));
      expect(rows).to.deep.equal([
        { attempt: 1, state: "returned", again: true },
        { attempt: 2, state: "completed", again: false },
      ]);
    },
  );

  it("a returned payout and its paid retry, both lost, are stored with the fee that reduced the retry", async () => {
    const made = await paid();
    const fee = 3_000_000n;
    ended.set(referenceOf(made, 1), { state: "returned", fee, refunded: true, failure: "account closed" });
    await pay(made);
    await retryPayouts(database, made.id, "merchant", "Ada");
    await pay(made);
    await createPoster(context, 0)();
    await forget(made, 1, 2);
    await expectClean(await recoverAll());
    const rows = await payoutsOf(made);
    const { amount } = made.terms;
    expect(rows.map((row) => [row.state, row.amount, row.fee, row.deducted, row.refunded])).to.deep.equal([
      ["returned", amount, fee, 0n, true],
      ["completed", amount - fee, 0n, fee, null],
    ]);
    const posted = await database.select().from(ledgerPosting).where(eq(ledgerPosting.intentId, made.id));
    const fees = posted.filter(({ kind }) => kind === "fee").map((row) => [row.payoutId, row.amount]);
    expect(fees).to.deep.equal([[rows[0]?.id, fee]]);
  });

  it("an attempt that was returned after the backup is queried if its transfer is older than the search", async () => {
    const made = await retried();
    await forget(made, 2);
    const back = { retried: false, state: "completed", refunded: null } as const;
    await database.update(payout).set(back).where(eq(payout.intentId, made.id));
    const aged = sql`update public.bank_book set at = at - interval '5 days' where reference = ${referenceOf(made, 1)}`;
    await database.execute(aged);
    const lately = { since: new Date(Date.now() - 86_400_000) };
    const { applied, left, differences } = await recover(context, lately, decision, 0);
    expect(kinds(applied)).to.include.members(["attempt_lost", "payout_behind"]);
    expect([...left, ...differences]).to.deep.equal([]);
    const rows = await payoutsOf(made);
    expect(rows.map(({ state, retried: again }) => [state, again])).to.deep.equal([
      ["returned", true],
      ["completed", false],
    ]);
    await expectClean(await recoverAll());
  });

  it("a payout is found of an old payment whose order a reorg has removed, if it could be funded lately", async () => {
    const made = await paid();
    await forget(made, 1);
    await world.chain.removeOrder(made.orderId);
    const old = { createdAt: new Date(Date.now() - 90 * 86_400_000) };
    await database.update(intent).set(old).where(eq(intent.id, made.id));
    const found = async (since: Date) =>
      kinds(await createRecovery(context, { since }).find()).filter((kind) => kind !== "event_missing");
    expect(await found(new Date(Date.now() - 86_400_000))).to.deep.equal(["settlement_without_payout"]);
    const expired = new Date((made.terms.fundingDeadline + 3 * 86_400) * 1_000);
    const transfer = sql`update public.bank_book set at = ${expired.toISOString()}::timestamptz
      where reference = ${referenceOf(made, 1)}`;
    await database.execute(transfer);
    expect(await found(new Date(expired.getTime() - 86_400_000))).to.deep.equal(["unknown_transfer"]);
    await database.execute(sql`delete from public.bank_book where reference = ${referenceOf(made, 1)}`);
    await forgetIntent(made);
  });

  it("an attempt that the provider never had is not ordered if a later one was paid", async () => {
    const made = await settled();
    await plan(made);
    // The provider rejected this attempt, so it has no transfer.
    await database
      .update(payout)
      .set({ state: "failed", failure: "refused", nextAttemptAt: null })
      .where(eq(payout.intentId, made.id));
    await retryPayouts(database, made.id, "merchant", "Ada");
    await pay(made);
    await createPoster(context, 0)();
    await observe(made);
    await forget(made, 1, 2);
    await expectClean(await recoverAll());
    expect((await payoutsOf(made)).map(({ state }) => state)).to.deep.equal(["failed", "completed"]);
    expect((await paidTimes(database)).has(referenceOf(made, 1))).to.equal(false);
  });

  it("an unpaid settlement is planned", async () => {
    const made = await settled();
    await createPoster(context, 0)();
    await observe(made);
    await expectClean(await recoverAll());
    expect((await payoutsOf(made)).map(({ state }) => state)).to.deep.equal(["created"]);
    await pay(made);
    expect((await paidTimes(database)).get(referenceOf(made, 1))).to.equal(1);
    await createPoster(context, 0)();
    await observe(made);
  });

  it("an order whose payment is lost is restored from its terms, and not paid out again", async () => {
    const made = await paid();
    await forgetIntent(made);
    const recovered = await recoverAll();
    expect(kinds(recovered.applied)).to.include.members([
      "order_without_intent",
      "settlement_without_payout",
    ]);
    await expectClean(recovered);
    const [row] = await database.select().from(intent).where(eq(intent.id, made.id));
    expect(row).to.include({ settlementDestination: "", currency: "USDC", merchantId: MERCHANT });
    expect(lowerCase(row?.terms)).to.deep.equal(
      lowerCase({ ...made.terms, amount: made.terms.amount.toString() }),
    );
    expect((await payoutsOf(made)).map(({ state }) => state)).to.deep.equal(["completed"]);
    const [seen] = await context.reader.findAll([made.id]);
    expect(seen?.status).to.equal("SETTLED");
  });

  it("an unpaid order whose payment is lost waits to be paid by hand, because its bank account is unknown", async () => {
    const made = await settled();
    await forgetIntent(made);
    await expectClean(await recoverAll());
    await pay(made);
    const [row] = await payoutsOf(made);
    expect(row?.state).to.equal("created");
    expect(row?.blocked).to.include("settle-externally");
    expect((await paidTimes(database)).has(referenceOf(made, 1))).to.equal(false);
    await createPoster(context, 0)();
  });

  it("a stranger's order is ignored", async () => {
    const made = await world.addIntent({}, { payee: "0x90F79bf6EB2c4f870365E785982E1f101E93b906" });
    await world.chain.fund(made.orderId, made.terms, 1, PAYER);
    await forgetIntent(made);
    const found = await createRecovery(context, scope).find();
    expect(found.filter(({ about }) => about === made.orderId)).to.deep.equal([]);
  });

  it("transactions that the chain has are stored as they were signed, with their orders, and no nonce is used twice", async () => {
    const { relayer } = world.context;
    const orders = [await world.addIntent(), await world.addIntent()];
    const ids = orders.map(({ orderId }) => orderId);
    const args = [groupForSettlement(orders.map(({ terms }) => terms))];
    const call = await relayer.prepare("settle", ids, { functionName: "settle", args });
    const stored = [];
    for (let count = 0; count < 3; count++) {
      stored.push(await database.transaction((tx) => relayer.store(tx, call)));
    }
    mined.push(...stored);
    for (const { hash } of stored) receipts.set(hash, receiptOf(hash));
    const lost = stored.slice(1).map(({ transactionId }) => transactionId);
    await database.delete(transactionAttempt).where(inArray(transactionAttempt.transactionId, lost));
    await database.delete(transactionOrder).where(inArray(transactionOrder.transactionId, lost));
    await database.delete(transaction).where(inArray(transaction.id, lost));
    await database.update(signer).set({ nextNonce: 1 });
    const recovered = await recoverAll();
    expect(kinds(recovered.applied)).to.deep.equal(["nonce_behind", "transaction_lost", "transaction_lost"]);
    await expectClean(recovered);
    const attempts = await database.select().from(transactionAttempt);
    expect(attempts.map(({ hash }) => hash)).to.include.members(stored.map(({ hash }) => hash));
    for (const { raw, hash } of attempts) expect(keccak256(raw)).to.equal(hash);
    const [row] = await database.select().from(signer);
    expect(row?.nextNonce).to.equal(3);
    const restored = await database
      .select({
        nonce: transaction.nonce,
        orderId: transactionOrder.orderId,
        purpose: transactionOrder.purpose,
      })
      .from(transactionOrder)
      .innerJoin(transaction, eq(transaction.id, transactionOrder.transactionId));
    expect(restored).to.have.deep.members(
      [0, 1, 2].flatMap((nonce) => ids.map((orderId) => ({ nonce, orderId, purpose: "settle" }))),
    );
  });

  it("a lost replacement is stored if its nonce has a row, or is used by a different call in the database", async () => {
    const { relayer } = world.context;
    const orders = [await world.addIntent(), await world.addIntent(), await world.addIntent()];
    const [settledOrder, refunded, unsent] = orders.map(({ orderId }) => orderId) as [
      OrderId,
      OrderId,
      OrderId,
    ];
    const sign = async (nonce: number, data: Hex): Promise<Hex> =>
      relayer.account.signTransaction({
        ...{ type: "eip1559", chainId: context.deployment.chainId, nonce, gas: 500_000n, data },
        ...{ to: CONTRACT, maxFeePerGas: 9_000_000_000n, maxPriorityFeePerGas: 2n },
      });
    const settleData = encodeFunctionData({
      ...{ abi: deliveryVsPaymentAbi, functionName: "settle" },
      args: [groupForSettlement([(orders[0] as TestIntent).terms])],
    });
    const refundData = encodeFunctionData({
      ...{ abi: deliveryVsPaymentAbi, functionName: "refund" },
      args: [(orders[1] as TestIntent).terms, 1n],
    });
    // The database has only a cheaper attempt of the first transaction. The second transaction's nonce was reused for
    // another call after the failover.
    const stored = [];
    for (const [orderId, purpose] of [
      [settledOrder, "settle"],
      [unsent, "refund"],
    ] as const) {
      const call = await relayer.prepare(purpose, [orderId], { functionName: "settle", args: [[]] });
      stored.push(await database.transaction((tx) => relayer.store(tx, call)));
    }
    const before = mined.length;
    for (const [nonce, data] of [
      [before, settleData],
      [before + 1, refundData],
    ] as const) {
      const raw = await sign(nonce, data);
      mined.push({ hash: keccak256(raw), nonce, raw });
      receipts.set(keccak256(raw), receiptOf(keccak256(raw)));
    }
    await database
      .update(transaction)
      .set({ state: "dropped" })
      .where(eq(transaction.id, stored[1]?.transactionId ?? ""));
    const recovered = await recoverAll();
    expect(kinds(recovered.applied)).to.deep.equal(["transaction_lost", "transaction_lost"]);
    await expectClean(recovered);
    const rows = await database
      .select({ id: transaction.id, minedHash: transaction.minedHash, purpose: transactionOrder.purpose })
      .from(transaction)
      .innerJoin(transactionOrder, eq(transactionOrder.transactionId, transaction.id))
      .where(inArray(transactionOrder.orderId, [settledOrder, refunded, unsent]))
      .orderBy(transaction.nonce);
    expect(rows).to.deep.equal([
      { id: stored[0]?.transactionId, minedHash: mined[before]?.hash, purpose: "settle" },
      { id: stored[1]?.transactionId, minedHash: mined[before + 1]?.hash, purpose: "refund" },
    ]);
    await createResolver(relayer, context.config.chain)();
    const states = await database
      .select({ state: transaction.state })
      .from(transaction)
      .where(inArray(transaction.nonce, [before, before + 1]));
    expect(states).to.deep.equal([{ state: "final" }, { state: "final" }]);
    mined.splice(-2);
    await database
      .delete(transactionOrder)
      .where(inArray(transactionOrder.orderId, [settledOrder, refunded]));
    const ids = stored.map(({ transactionId }) => transactionId);
    await database.delete(transactionAttempt).where(inArray(transactionAttempt.transactionId, ids));
    await database.delete(transaction).where(inArray(transaction.id, ids));
  });

  it("the network fee of a transaction that was restored is posted to its orders, and follows a reorg", async () => {
    const orders = (
      await database.selectDistinct({ orderId: transactionOrder.orderId }).from(transactionOrder)
    ).map(({ orderId }) => toIntentId(orderId));
    const resolve = () => createResolver(world.context.relayer, context.config.chain)();
    const posted = async () => {
      const rows = await database
        .select({ amount: sql<string>`case when reversed then -amount else amount end` })
        .from(ledgerPosting)
        .where(and(eq(ledgerPosting.kind, "network_fee"), inArray(ledgerPosting.intentId, orders)));
      return rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
    };
    const fees = async () => {
      await resolve();
      await createPoster(context, 0)();
      await tracking(context, "post_ledger")();
      return posted();
    };
    expect(await fees()).to.equal(3n * NETWORK_FEE);
    const [last] = mined.splice(-1);
    if (!last) throw new Error("No transaction has been mined.");
    receipts.delete(last.hash);
    expect(await fees()).to.equal(2n * NETWORK_FEE);
    mined.push(last);
    receipts.set(last.hash, receiptOf(last.hash));
    // No worker runs during a recovery.
    await resolve();
    expect(await posted()).to.equal(2n * NETWORK_FEE);
    await expectClean(await recoverAll());
    expect(await posted()).to.equal(3n * NETWORK_FEE);
  });

  it("a foreign transaction with the operator's key is reported and not stored", async () => {
    const { account } = world.context.relayer;
    const raw = await account.signTransaction({
      ...{ type: "eip1559", chainId: context.deployment.chainId, nonce: 3, gas: 21_000n, data: "0x" },
      ...{ to: PAYER, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n },
    });
    mined.push({ hash: keccak256(raw), nonce: 3, raw });
    const [found] = (await createRecovery(context, scope).find()).filter(
      ({ kind }) => kind === "transaction_lost",
    );
    expect(found?.does).to.include("someone else");
    mined.pop();
  });

  it("a payout is not paid while a second person decides whether it was paid by hand (D6)", async () => {
    await writeControl(database, "approval", "1", "Ada");
    const parts = {
      ...{ database, offRamps: async () => context.offRamps, feeBearer: "merchant" as const },
      chain: async () => context,
    };
    const byHand = async ({ id, settledAt }: typeof payout.$inferSelect, amount: string) => {
      const given = { reference: "SEPA 9", amount, date: settledAt.toISOString().slice(0, 10) };
      return ask(parts, CONTROLLED, "settle-externally", { subject: id, arguments: given, by: "Ada" });
    };
    const returned = await paid();
    ended.set(referenceOf(returned, 1), { state: "returned", refunded: true, failure: "account closed" });
    await pay(returned);
    const fresh = await settled();
    await plan(fresh);
    const rows = [
      (await payoutsOf(returned))[0],
      (await payoutsOf(fresh))[0],
    ] as (typeof payout.$inferSelect)[];
    const times = await paidTimes(database);
    for (const [index, made] of [returned, fresh].entries()) {
      const row = rows[index] as typeof payout.$inferSelect;
      const { amount } = nextAmounts(row, "merchant");
      const asked = await byHand(row, formatAmount(amount, row.currency));
      expect(asked.waits).to.equal(true);
      if (made === returned) {
        const refusal = await retryPayouts(database, made.id, "merchant", "Ada").catch(
          (error: Error) => error.message,
        );
        expect(refusal).to.include("outside the gateway");
      }
      await pay(made);
      expect(await paidTimes(database)).to.deep.equal(times);
      await approve(parts, CONTROLLED, asked.operation, "Grace");
      expect((await payoutsOf(made)).at(-1)).to.include({ state: "completed", externalReference: "SEPA 9" });
    }
    await writeControl(database, "approval", undefined, "Ada");
  });

  it("a change without an event is reported, and so are a missing and a repeated number of an event", async () => {
    const made = await paid();
    await deleteEvents(made, eq(event.toStatus, "SETTLED"));
    await database.update(intent).set({ lastEmittedStatus: "SUCCEEDED" }).where(eq(intent.id, made.id));
    const recovered = await recoverAll();
    expect(recovered.applied.map(({ kind, about }) => `${kind} ${about}`)).to.include(
      `event_missing ${made.id}`,
    );
    expect(
      await database.$count(event, and(eq(event.intentId, made.id), eq(event.toStatus, "SETTLED"))),
    ).to.equal(1);
    await deleteEvents(made, eq(event.sequence, 1));
    const gap = (await createRecovery(context, scope).find()).find(({ kind }) => kind === "event_gap");
    expect(gap?.about).to.equal(made.id);
    // Now there are as many events as the highest number, but two of them have the same one.
    await database.execute(sql`
      insert into gateway.event (id, merchant_id, mode, intent_id, sequence, type, decided_by, data)
      select uuidv7(), merchant_id, mode, intent_id, sequence, type, 'again', data from gateway.event
      where ${eq(event.intentId, made.id)} and ${eq(event.sequence, 2)}`);
    const repeated = (await createRecovery(context, scope).find()).find(({ kind }) => kind === "event_gap");
    expect(repeated?.says).to.contain("different numbers");
    await deleteEvents(made);
    await recoverAll();
  });

  it("a payout whose outcome no event reports is found, although its payment has not changed since", async () => {
    const made = await paid();
    const outcome = eq(event.type, "payout.completed");
    await deleteEvents(made, outcome);
    await database.update(payout).set({ emittedState: null }).where(eq(payout.intentId, made.id));
    await database
      .update(intent)
      .set({ updatedAt: new Date("2020-01-01") })
      .where(eq(intent.id, made.id));
    await database.execute(sql`update ${order} set updated_at = 1 where ${eq(order.id, made.orderId)}`);
    const lately = { since: new Date(Date.now() - 60_000) };
    const found = (await createRecovery(context, lately).find()).find(({ about }) => about === made.id);
    expect(found?.says).to.include("changes that no event reports");
    await recoverAll();
    expect(await database.$count(event, and(eq(event.intentId, made.id), outcome))).to.equal(1);
    await deleteEvents(made);
    await recoverAll();
  });

  it("a truncated audit log is reported, and the recovery itself is in the log", async () => {
    await database.transaction(async (tx) => {
      const [last] = (
        await tx.execute<{ position: number }>(
          sql`select max(position)::int as position from gateway.audit_log`,
        )
      ).rows;
      await sealUpTo(tx, last?.position ?? 0);
    });
    const { head } = await verifyChain(database);
    const find = (auditHead: string) => createRecovery(context, { ...scope, auditHead }).find();
    expect(kinds(await find(head))).not.to.include("audit_cut");
    const lost = "a".repeat(64);
    expect(kinds(await find(lost))).to.include("audit_cut");
    const { applied, left } = await recover(context, { ...scope, auditHead: lost }, decision, 0);
    expect({ applied: kinds(applied), left: kinds(left) }).to.deep.equal({
      applied: ["audit_cut"],
      left: [],
    });
    const noted = await database
      .select({ actor: auditLog.actor, metadata: auditLog.metadata })
      .from(auditLog)
      .where(eq(auditLog.action, "recovery.order_without_intent"));
    expect(noted[0]).to.deep.equal({ actor: "Ada", metadata: { reason: decision.reason } });
  });
});

describe("transfers that are missing from the ledger (S4)", () => {
  const parts = () => ({
    ...{ database, offRamps: async () => context.offRamps, feeBearer: "merchant" as const },
    chain: async () => context,
  });
  const unknown = (reference: string) =>
    database.execute(sql`insert into public.bank_book (id, reference, amount, currency)
      values (gen_random_uuid()::text, ${reference}, 7000000, 'USDC')`);

  it("are acknowledged with the recovery's reason, and above the limit only by a second person", async () => {
    const limit = (value: string) => database.transaction((tx) => writeControl(tx, "approval", value, "Ada"));
    await limit("1");
    await unknown("of an earlier database");
    const waits = await recoverAll();
    expect(waits.differences.map(({ kind }) => kind)).to.deep.equal(["unknown_transfer"]);
    expect(waits.waiting).to.have.length(1);
    await approve(parts(), CONTROLLED, waits.waiting[0] ?? 0, "Grace");
    await expectClean(await recoverAll());
    await limit("100");
    await unknown("another one of an earlier database");
    const recovered = await recoverAll();
    expect(recovered.waiting).to.deep.equal([]);
    await expectClean(recovered);
    expect(recovered.acknowledged.map(({ acknowledged }) => acknowledged?.by)).to.deep.equal(["Ada", "Ada"]);
  });

  it("are shown as acknowledged by the next run, with who did it and why, until they change", async () => {
    await unknown("acknowledged, and paid back later");
    await recoverAll();
    const mine = async () =>
      (await createRecovery(context, scope).find()).find(({ says }) => says.includes("paid back later"));
    expect((await mine())?.acknowledged).to.deep.equal(decision);
    expect((await mine())?.does).to.equal("Nothing: it was acknowledged by Ada (failover of 23 November).");
    ended.set("acknowledged, and paid back later", { state: "returned", refunded: true, failure: "closed" });
    expect((await mine())?.acknowledged).to.equal(undefined);
    await recoverAll();
    expect((await mine())?.acknowledged).to.deep.equal(decision);
  });

  it("are requested by a repeated recovery, except one that already waits for its second person", async () => {
    await writeControl(database, "approval", "1", "Ada");
    await unknown("found first");
    const first = await recoverAll();
    expect(first.waiting).to.have.length(1);
    await unknown("found later");
    const { waiting } = await recoverAll();
    expect(waiting).to.have.length(2).and.include(first.waiting[0]);
    for (const id of waiting) await approve(parts(), CONTROLLED, id, "Grace");
    await expectClean(await recoverAll());
  });
});
