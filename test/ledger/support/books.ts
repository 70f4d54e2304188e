// A test world with a ledger: tests define the state of the chain and the provider, and check the resulting ledger.
// Several tests share one world. Each test starts with its own merchant and its own block 1, far above the blocks of
// other tests.
import { and, eq, sql } from "drizzle-orm";
import * as chainTables from "#core/db/chain.ts";
import type { Database } from "#core/db/client.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { ledgerBalance, ledgerPosting } from "#core/db/schema/ledger.ts";
import { merchant } from "#core/db/schema/merchants.ts";
import { type PayoutState, payout } from "#core/db/schema/payouts.ts";
import { type IntentId, newMerchantId } from "#core/ids.ts";
import { createPoster } from "#settlement/ledger/post.ts";
import type { OffRamp } from "#settlement/off-ramp/off-ramp.ts";
import { openBook } from "#test/settlement/support/gullible-bank.ts";
import type { TestIntent } from "#test/settlement/support/intents.ts";
import { insertPayout, type NewPayout } from "#test/settlement/support/payouts.ts";
import { makeWorld, PAYER, type World } from "#test/settlement/support/world.ts";

const BLOCKS_A_TEST = 1_000;

type MoreOfPayout = Partial<NewPayout> & { block?: number };

export type Books = Awaited<ReturnType<typeof openBooks>>;

/** Opens books with a bank that pays, at a block at which payouts are possible. */
export async function openBooksWith(bank: (database: Database) => OffRamp): Promise<Books> {
  const books = await openBooks({ offRamps: (database) => () => bank(database) });
  await openBook(books.database);
  await books.begin();
  await books.head(14);
  return books;
}

export async function openBooks(options: Parameters<typeof makeWorld>[0] = {}) {
  const world: World = await makeWorld(options);
  const { databaseUrl } = world;
  const { context, chain } = world;
  const { database } = context;
  const post = createPoster(context, 0);
  let merchantId = "";
  let base = 0;

  const add = () => world.addIntent({ merchantId, lastEmittedStatus: "SUCCEEDED" });
  const fund = ({ orderId, terms }: TestIntent, block: number, fork = 0) =>
    chain.fund(orderId, terms, base + block, PAYER, fork);
  const settle = ({ orderId, terms }: TestIntent, block: number) =>
    chain.settle(orderId, terms, base + block);

  return {
    context,
    database,
    databaseUrl,
    chain,
    close: world.close,
    post,
    fund,
    settle,
    at: (block: number) => base + block,
    async begin(): Promise<string> {
      base += BLOCKS_A_TEST;
      merchantId = newMerchantId();
      await database.insert(merchant).values({ id: merchantId, name: merchantId, account: PAYER });
      return merchantId;
    },
    head: (block: number) => chain.head(base + block),
    /** Advances the chain to a block, and runs the poster. */
    async postAt(block: number): Promise<void> {
      await chain.head(base + block);
      await post();
    },
    async funded(block: number): Promise<TestIntent> {
      const made = await add();
      await fund(made, block);
      return made;
    },
    async settled(block: number): Promise<TestIntent> {
      const made = await add();
      await fund(made, 1);
      await settle(made, block);
      return made;
    },
    /** Removes only the settlement, and moves the indexer to the block before it. */
    async unsettle({ orderId }: TestIntent): Promise<void> {
      await database.delete(chainTables.settlement).where(eq(chainTables.settlement.orderId, orderId));
      await chain.change(orderId, base + 1, { status: 3, settled: 0n, settlements: 0 });
      await database.update(deployment).set({ highWaterBlock: 0 });
    },
    /** Adds a payout through the mock bank. @returns its id */
    payOut: (made: TestIntent, state: PayoutState, { block = 10, ...more }: MoreOfPayout = {}) =>
      insertPayout(database, made, { account: "mock", ...more, settlementBlock: base + block, state }),
    async becomes(payoutId: string, state: PayoutState): Promise<void> {
      await database
        .update(payout)
        .set({ state, updatedAt: sql`clock_timestamp()` })
        .where(eq(payout.id, payoutId));
    },
    /** Returns the postings of a payment in order, as `kind amount`, with a minus sign for reversals. */
    async postings(id: IntentId): Promise<string[]> {
      const rows = await database
        .select()
        .from(ledgerPosting)
        .where(eq(ledgerPosting.intentId, id))
        .orderBy(ledgerPosting.createdAt);
      return rows.map(({ kind, reversed, amount }) => `${kind} ${reversed ? -amount : amount}`);
    },
    /** Returns the non-zero balances of the test's merchant. */
    async balances(): Promise<Record<string, bigint>> {
      const rows = await database
        .select()
        .from(ledgerBalance)
        .where(and(eq(ledgerBalance.merchantId, merchantId), sql`${ledgerBalance.amount} <> 0`));
      return Object.fromEntries(rows.map(({ account, amount }) => [account, amount]));
    },
  };
}
