// Reconciles many payments in index-backed pages with bounded memory, resumes an interrupted run, and reconciles
// incrementally from the last seal.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { desc, eq, sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { connect } from "#core/db/client.ts";
import { payout } from "#core/db/schema/payouts.ts";
import {
  reconciliationFinding,
  reconciliationRun,
  reconciliationSeal,
} from "#core/db/schema/reconciliation-runs.ts";
import { reconciliation } from "#core/db/schema/reconciliations.ts";
import { createScheduledReconciler } from "#settlement/reconciliation/on-schedule.ts";
import { reconcile } from "#settlement/reconciliation/reconcile.ts";
import { nothingSealed, readSeal } from "#settlement/reconciliation/stored-run.ts";
import type { Context } from "#settlement/runtime/context.ts";
import { addCopies } from "#test/settlement/support/copies.ts";
import type { TestIntent } from "#test/settlement/support/intents.ts";
import { createIndexes } from "#test/settlement/support/many-payments.ts";
import { DEEP } from "#test/support/deep.ts";
import { sessionsEnded, tableReads } from "#test/support/table-reads.ts";
import { type Books, openBooks } from "./support/books.ts";
import { answerCalls } from "./support/empty-contract.ts";

/** Number of ended payments; the tests later add the same number again. */
const HISTORY = 2_000;
/** Allowance for rows of small look-ups in addition to the compared rows. */
const A_FEW = 200;
/** The ledger starts at block 1,000. The history is far below the depth of any reorg. */
const HEAD = 5_000;

let books: Books;
let template: TestIntent;
/** The contract's USDC balance. All payments are in USDC. */
let held = 0n;

beforeAll(async () => {
  books = await openBooks({ answers: { eth_call: (call) => answerCalls(call, held) } });
  await createIndexes(books.database);
  // For small tables, PostgreSQL may choose a full scan. The test must show that every look-up can use an index.
  for (const plan of ["hashjoin", "mergejoin"]) {
    await books.database.execute(
      sql.raw(`alter database "${new URL(books.databaseUrl).pathname.slice(1)}" set enable_${plan} = off`),
    );
  }
  await books.begin();
  template = await books.settled(10);
  await books.payOut(template, "completed", { reference: "ref_template" });
  await books.chain.head(HEAD);
  await books.post();
  await addHistory("first", HISTORY);
}, 120_000);
afterAll(() => books?.close());

/** Adds ended payments that the poster posted long ago. */
async function addHistory(name: string, count: number): Promise<void> {
  const { database } = books;
  const templateId = sql.param(template.id, payout.intentId);
  await addCopies(database, template, { name, count, intent: { last_emitted_status: "FINAL" } });
  const copies = sql`(select n, md5(${name} || n) || md5(${name} || -n) as hex from generate_series(1, ${count}::int) n) copy`;
  await database.execute(sql`
    insert into chain.settlement select s.* from ${copies}, chain.settlement t, jsonb_populate_record(t,
      jsonb_build_object('order_id', '\\x' || hex)) s where t.order_id = ${templateId}`);
  await database.execute(sql`
    insert into gateway.payout select p.* from ${copies}, gateway.payout t, jsonb_populate_record(t,
      jsonb_build_object('id', left(hex, 32), 'reference', 'ref_' || hex, 'intent_id', '\\x' || hex,
        'next_attempt_at', null, 'posted_state', 'completed', 'emitted_state', 'completed',
        'created_at', now() - interval '200 days', 'updated_at', now() - interval '190 days')) p
    where t.intent_id = ${templateId}`);
  await database.execute(sql`
    insert into gateway.ledger_posting (deployment_id, kind, subject, revision, reversed, amount, intent_id, payout_id, block)
    select t.deployment_id, t.kind, t.subject, 1, false, t.amount, decode(hex, 'hex'),
      case when t.payout_id is not null then left(hex, 32)::uuid end, t.block
    from ${copies}, gateway.ledger_posting t where t.intent_id = ${templateId}`);
  await database.update(payout).set({ nextAttemptAt: null }).where(eq(payout.intentId, template.id));
  await database.execute(sql`vacuum analyze`);
}

/** Returns the number of rows that a pass reads from each large table, with the role's connection settings. */
async function readsOf(work: (context: Context) => Promise<unknown>) {
  const name = "reconciles";
  // Flushes the statistics of the test's own sessions now, so that they are not counted for the pass.
  const flush = () => books.database.execute(sql`select pg_stat_force_next_flush()`);
  await Promise.all(Array.from({ length: 10 }, flush));
  const before = await tableReads(books.databaseUrl, HISTORY);
  const database: Database = connect(books.databaseUrl, { application: name, seekCost: 1.1, max: 2 });
  await work({ ...books.context, database }).finally(() => database.$client.end());
  await sessionsEnded(books.databaseUrl, [name]);
  const after = Object.entries(await tableReads(books.databaseUrl, HISTORY));
  return after.map(([table, { scans, rows }]) => ({
    table,
    scans: scans - (before[table]?.scans ?? 0),
    rows: rows - (before[table]?.rows ?? 0),
  }));
}

const later = () => new Date(Date.now() + 60_000);
/** A seal that covers the complete history. */
const sealedUpTo = (block: number) => ({
  ...{ block, payoutsUpdatedAt: new Date(Date.now() - 86_400_000).toISOString() },
  ...{ transfersSince: later().toISOString(), foreign: {} },
});
const isOurs = ({ kind }: { kind: string }) => kind === "missing_posting" || kind === "wrong_balance";
const incremental = async (context: Context = books.context, block = HEAD - 300) =>
  (await reconcile(context, { since: later(), sealed: sealedUpTo(block) }, 0)).filter(isOurs);
const full = async (context: Context = books.context) =>
  (await reconcile(context, { since: later() }, 0)).filter(isOurs);

/** Changes a payout's state without a posting, so that it no longer matches the ledger. */
const corrupt = (name: string, n: number, state: "failed" | "completed") =>
  books.database.execute(sql`
    update gateway.payout set state = ${state} where id = md5(${name} || ${n}::int)::uuid`);

/** Returns the maximum heap size, in bytes, while everything is compared. */
async function heapOfFull(): Promise<number> {
  let peak = 0;
  const guard: Context["guard"] = async (...given) => {
    Bun.gc(true);
    peak = Math.max(peak, process.memoryUsage().heapUsed);
    return books.context.guard(...given);
  };
  await full({ ...books.context, guard });
  return peak;
}

describe("with many ended payments", () => {
  let heapBefore: number;

  it("an incremental run reads only changes, through an index, however long the history is", async () => {
    const changed = await books.funded(HEAD - 1_100);
    held = changed.terms.amount;
    await books.post();
    const first = await readsOf(async (context) => expect(await incremental(context)).to.deep.equal([]));
    for (const { table, scans, rows } of first) {
      expect(scans, table).to.equal(0);
      expect(rows, table).to.be.at.most(A_FEW);
    }
    heapBefore = DEEP ? await heapOfFull() : 0;
    await addHistory("second", HISTORY);
    const second = await readsOf((context) => incremental(context));
    for (const { table, rows } of second) {
      const earlier = first.find((one) => one.table === table)?.rows ?? 0;
      expect(rows, table).to.be.at.most(earlier + 5);
    }
  }, 120_000);

  it("a full run scans no table, and finds differences in sealed data; an incremental run finds new ones", async () => {
    await corrupt("first", 17, "failed");
    expect(await incremental()).to.deep.equal([]);
    const found: { about: string }[] = [];
    const reads = await readsOf(async (context) => found.push(...(await full(context))));
    expect(found.map(({ about }) => about.split(" ")[0])).to.deep.equal(["payout_returned"]);
    for (const { table, scans } of reads) expect(scans, table).to.equal(0);
    await corrupt("first", 17, "completed");
    await books.database.execute(sql`
      update gateway.payout set state = 'failed', updated_at = clock_timestamp() where reference = 'ref_template'`);
    expect((await incremental()).map(({ about }) => about)).to.include(
      `payout_returned ${template.id} 1.0.1`,
    );
    await books.database.execute(sql`
      update gateway.payout set state = 'completed', updated_at = now() - interval '190 days' where reference = 'ref_template'`);
  }, 120_000);

  it.skipIf(!DEEP)(
    "the heap of a full run does not grow with the number of payments",
    async () => {
      expect((await heapOfFull()) - heapBefore).to.be.below(4_000_000);
    },
    120_000,
  );

  it.skipIf(!DEEP)(
    "an interrupted full run resumes at its page",
    async () => {
      const { database, context } = books;
      await database.delete(reconciliation);
      const stopping = new AbortController();
      const seen: number[] = [];
      // Counts the pages that each run requests, and stops the first run after some pages.
      const counting = (stopAt: number) => {
        let pages = 0;
        seen.push(0);
        const guard: Context["guard"] = async (...given) => {
          seen[seen.length - 1] = ++pages;
          if (pages === stopAt) stopping.abort(new Error("Stopped."));
          return context.guard(...given);
        };
        return { ...context, guard };
      };
      const stopped = await createScheduledReconciler(
        counting(5),
        0,
      )(stopping.signal).catch((error: Error) => error.message);
      expect(stopped).to.equal("Stopped.");
      const [open] = await database.select().from(reconciliationRun);
      expect(open?.stage).to.equal("payments");
      expect(await database.$count(reconciliation)).to.equal(0);
      await createScheduledReconciler(counting(0), 0)();
      const [last] = await database.select().from(reconciliation).orderBy(desc(reconciliation.id));
      expect(last).to.include({ full: true });
      expect(await database.$count(reconciliationRun)).to.equal(0);
      expect(await database.$count(reconciliationFinding)).to.equal(0);
      await database.delete(reconciliation);
      await createScheduledReconciler(counting(0), 0)();
      const [interrupted = 0, resumed = 0, complete = 0] = seen;
      expect(interrupted).to.equal(5);
      expect(interrupted + resumed).to.equal(complete);
    },
    120_000,
  );

  it("a run without a difference leaves a seal beyond any reorg, and the next one starts there", async () => {
    const { database, context } = books;
    await database.delete(reconciliation);
    await database.delete(reconciliationSeal);
    await createScheduledReconciler(context, 0)();
    const [last] = await database.select().from(reconciliation).orderBy(desc(reconciliation.id));
    expect(last?.differences).to.deep.equal({});
    const seal = (await readSeal(database, context.deployment.id)) ?? nothingSealed();
    expect(seal.block)
      .to.be.above(0)
      .and.at.most(HEAD - 256);
    expect(seal.foreign).to.deep.equal({});
    await database.execute(
      sql`update gateway.reconciliation set created_at = created_at - interval '1 hour'`,
    );
    await createScheduledReconciler(context, 0)();
    const [next] = await database.select().from(reconciliation).orderBy(desc(reconciliation.id));
    expect(next).to.deep.include({ full: false, differences: {} });
  }, 120_000);
});
