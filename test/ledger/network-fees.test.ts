// The gateway's gas costs, which the operator bears and which are split exactly among a transaction's orders.
import { afterAll, beforeAll, beforeEach, describe, it } from "bun:test";
import { expect } from "chai";
import { and, eq, inArray, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { type Hex, pad, toHex } from "viem";
import { ledgerBalance, ledgerPosting } from "#core/db/schema/ledger.ts";
import { transaction, transactionOrder } from "#core/db/schema/transactions.ts";
import { workItem } from "#core/db/schema/work.ts";
import { newId } from "#core/ids.ts";
import { NOW, scheduleWork } from "#core/work/schedule-work.ts";
import { createPoster, createPostingHandler } from "#settlement/ledger/post.ts";
import { createFeeFinder, markPosted } from "#settlement/ledger/unposted-fees.ts";
import { compareBalances } from "#settlement/reconciliation/check-balances.ts";
import { comparePayments } from "#settlement/reconciliation/check-payments.ts";
import { createClaim, finishWork } from "#settlement/runtime/work-items.ts";
import type { TestIntent } from "#test/settlement/support/intents.ts";
import { tracking } from "#test/settlement/support/work.ts";
import { OFF_RAMP } from "#test/settlement/support/world.ts";
import { untilBlocked } from "#test/support/lock-waits.ts";
import { type Books, openBooks } from "./support/books.ts";

/** In wei; more than a double can represent exactly, and not a multiple of three. */
const FEE = 123_456_789_012_345_679n;

let books: Books;
let merchantId: string;
let nonce = 0;
beforeAll(async () => {
  books = await openBooks();
});
beforeEach(async () => {
  merchantId = await books.begin();
});
afterAll(() => books.close());

const isPosting = ({ kind }: { kind: string }) => kind === "missing_posting";

type Change = PgUpdateSetSource<typeof transaction>;

const hashOf = (number: number): Hex => pad(toHex(number), { size: 32 });

/** Adds a transaction that is in a block but not final. @returns its id */
async function sent(
  orders: TestIntent[],
  more: Partial<typeof transaction.$inferInsert> = {},
): Promise<string> {
  const id = newId("tx");
  nonce += 1;
  const mined = {
    state: "mined",
    succeeded: true,
    blockNumber: books.at(10),
    minedHash: hashOf(nonce),
  } as const;
  const key = { deploymentId: books.context.deployment.id, signer: OFF_RAMP, nonce };
  const purpose = "settle";
  await books.database
    .insert(transaction)
    .values({ id, ...key, purpose, ...mined, networkFee: FEE, ...more });
  if (orders.length === 0) return id;
  await books.database
    .insert(transactionOrder)
    .values(orders.map(({ orderId }) => ({ transactionId: id, orderId, purpose }) as const));
  return id;
}

const becomes = (id: string, change: Change) =>
  books.database.update(transaction).set(change).where(eq(transaction.id, id));

async function isOpen(id: string): Promise<boolean | undefined> {
  const [row] = await books.database
    .select({ open: transaction.open })
    .from(transaction)
    .where(eq(transaction.id, id));
  return row?.open;
}

/** A transaction that a reorg has removed. */
const UNMINED = {
  state: "pending",
  succeeded: null,
  blockNumber: null,
  minedHash: null,
  networkFee: null,
} as const;

const waiting = () =>
  books.database
    .select()
    .from(workItem)
    .where(and(eq(workItem.purpose, "post_ledger"), eq(workItem.merchantId, merchantId)));

/** Handles the work that transactions have made due that are no longer final. @returns the number of orders */
async function handleDue(): Promise<number> {
  const { length } = await waiting();
  await tracking(books.context, "post_ledger")();
  expect(await waiting()).to.deep.equal([]);
  return length;
}

const postings = (orders: TestIntent[]) =>
  books.database
    .select({
      amount: ledgerPosting.amount,
      reversed: ledgerPosting.reversed,
      currency: ledgerPosting.currency,
    })
    .from(ledgerPosting)
    .where(
      and(
        eq(ledgerPosting.kind, "network_fee"),
        inArray(
          ledgerPosting.intentId,
          orders.map(({ id }) => id),
        ),
      ),
    )
    .orderBy(ledgerPosting.intentId, ledgerPosting.revision);

const inEther = async () =>
  Object.fromEntries(
    (
      await books.database
        .select()
        .from(ledgerBalance)
        .where(and(eq(ledgerBalance.merchantId, merchantId), eq(ledgerBalance.currency, "ETH")))
    ).map(({ account, amount }) => [account, amount]),
  );

describe("the network fee of a transaction", () => {
  it("is shared among the orders of a batch to the wei, in the native currency, when it is final", async () => {
    const orders = [await books.settled(10), await books.settled(10), await books.settled(10)];
    const id = await sent(orders);
    await books.postAt(20);
    expect(await handleDue()).to.equal(0);
    expect(await inEther()).to.deep.equal({});
    await becomes(id, { state: "final" });
    await books.post();
    const shares = await postings(orders);
    expect(shares.map(({ amount }) => amount)).to.have.members([FEE / 3n, FEE / 3n, FEE / 3n + 1n]);
    expect(new Set(shares.map(({ currency }) => currency))).to.deep.equal(new Set(["ETH"]));
    expect(await inEther()).to.deep.equal({ operator: -FEE, network: FEE });
    expect(await compareBalances(books.context, merchantId)).to.deep.equal([]);
    const ids = orders.map((order) => order.id);
    expect((await comparePayments(books.context, ids)).filter(isPosting)).to.deep.equal([]);
  });

  it("is also posted for a failed transaction, and only once with several workers", async () => {
    const order = await books.settled(10);
    await books.postAt(20);
    const id = await sent([order], { succeeded: false });
    await becomes(id, { state: "final" });
    await Promise.all([
      tracking(books.context, "post_ledger")(),
      books.post(),
      createPoster(books.context)(),
    ]);
    expect(await inEther()).to.deep.equal({ operator: -FEE, network: FEE });
  });

  it("is reversed when a reorg drops the transaction, and posted again when it is mined again", async () => {
    const order = await books.settled(10);
    await books.postAt(20);
    const id = await sent([order]);
    await becomes(id, { state: "final" });
    await books.post();
    expect(await isOpen(id)).to.equal(false);
    await becomes(id, UNMINED);
    expect(await handleDue()).to.equal(1);
    expect(await inEther()).to.deep.equal({ operator: 0n, network: 0n });
    const again = {
      succeeded: true,
      blockNumber: books.at(15),
      minedHash: hashOf(999_999),
      networkFee: FEE + 7n,
    };
    await becomes(id, { state: "mined", ...again });
    expect(await handleDue()).to.equal(0);
    await becomes(id, { state: "final" });
    await books.post();
    expect(
      (await postings([order])).map(({ amount, reversed }) => (reversed ? -amount : amount)),
    ).to.deep.equal([...[FEE, -FEE, FEE + 7n]]);
    expect(await inEther()).to.deep.equal({ operator: -FEE - 7n, network: FEE + 7n });
  });

  it("is compared again after a crash, and posted once", async () => {
    const order = await books.settled(10);
    await books.postAt(20);
    const id = await sent([order]);
    await becomes(id, { state: "final" });
    await books.post();
    // As if the process had ended before it recorded that the fee is posted.
    await becomes(id, { feePosted: false });
    await books.post();
    expect(await isOpen(id)).to.equal(false);
    expect(await postings([order])).to.have.length(1);
  });

  it("stays unposted if the transaction changes while its fee is posted", async () => {
    const order = await books.settled(10);
    await books.postAt(20);
    const id = await sent([order]);
    await becomes(id, { state: "final" });
    const find = createFeeFinder(books.context);
    const fees = await find();
    expect(fees.map((fee) => fee.id)).to.deep.equal([id]);
    expect(fees[0]?.intentIds).to.deep.equal([order.id]);
    await becomes(id, { networkFee: FEE + 1n, updatedAt: sql`clock_timestamp()` });
    expect(await markPosted(books.database, fees)).to.deep.equal(fees);
    expect(await isOpen(id)).to.equal(true);
    await books.post();
    expect(await inEther()).to.deep.equal({ operator: -FEE - 1n, network: FEE + 1n });
    expect(await find()).to.deep.equal([]);
  });

  it("is reversed when one reorg moves the transaction to a later block, and another one drops it", async () => {
    const order = await books.settled(10);
    await books.postAt(20);
    const id = await sent([order]);
    await becomes(id, { state: "final" });
    await books.post();
    await becomes(id, { state: "mined", minedHash: hashOf(999_998) });
    await handleDue();
    expect(await inEther()).to.deep.equal({ operator: -FEE, network: FEE });
    await becomes(id, UNMINED);
    expect(await handleDue()).to.equal(1);
    expect(await inEther()).to.deep.equal({ operator: 0n, network: 0n });
  });

  it("is reversed if the transaction is dropped after the poster has read it and before it posts", async () => {
    const order = await books.settled(10);
    await books.postAt(20);
    const id = await sent([order]);
    await becomes(id, { state: "final" });
    let posting = Promise.resolve();
    await books.database.transaction(async (tx) => {
      await tx.execute(sql`lock table ${ledgerPosting} in exclusive mode`);
      posting = books.post();
      await untilBlocked(books.database);
      await becomes(id, { ...UNMINED, updatedAt: sql`clock_timestamp()` });
      expect(await handleDue()).to.equal(1);
    });
    await posting;
    expect(await inEther()).to.deep.equal({ operator: -FEE, network: FEE });
    expect(await handleDue()).to.equal(1);
    expect(await inEther()).to.deep.equal({ operator: 0n, network: 0n });
  });

  it("is posted later if the ledger rejects it while a handler has already compared its payment", async () => {
    const order = await books.settled(10);
    await books.postAt(20);
    const id = await sent([order]);
    const { context, database } = books;
    const work = { orderId: order.orderId, merchantId, purpose: "post_ledger", ...NOW } as const;
    await scheduleWork(database, context.deployment.id, [work]);
    const head = { block: books.at(20), timestamp: 1 };
    const claimed = await createClaim(database, context.deployment.id)({ post_ledger: 10 }, head);
    await createPostingHandler(context).handle(claimed, head);
    await becomes(id, { state: "final" });
    await database.execute(
      sql`alter table ${ledgerPosting} add constraint rejected check (kind <> 'network_fee') not valid`,
    );
    await books.post();
    await database.execute(sql`alter table ${ledgerPosting} drop constraint rejected`);
    expect(await isOpen(id), "the ledger continues without it").to.equal(false);
    await finishWork(
      database,
      claimed.map((item) => [item, "done"] as const),
    );
    expect(await handleDue()).to.equal(1);
    expect(await inEther()).to.deep.equal({ operator: -FEE, network: FEE });
  });

  it("that was not posted is reported as a difference, with the amount in whole coins", async () => {
    const order = await books.settled(10);
    await books.postAt(20);
    await becomes(await sent([order]), { state: "final" });
    const [found] = (await comparePayments(books.context, [order.id])).filter(isPosting);
    expect(found?.says).to.include(
      `0.123456789012345679 ETH was paid for gas by the gateway (network_fee, ${OFF_RAMP}-${nonce} of ${order.id})`,
    );
    expect(found?.stake).to.equal(undefined);
  });

  it("of a transaction without a payment is not in any merchant's ledger", async () => {
    const id = await sent([], { purpose: "fill_nonce" });
    await becomes(id, { state: "final" });
    await books.postAt(20);
    expect(await handleDue()).to.equal(0);
    const { rows } = await books.database.execute(
      sql`select from gateway.ledger_posting where ${eq(ledgerPosting.merchantId, merchantId)}`,
    );
    expect(rows).to.have.length(0);
  });
});
