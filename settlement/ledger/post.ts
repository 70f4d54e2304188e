// Posts confirmed facts of the chain and of providers to the ledger. The poster is level-triggered: it compares, and
// posts the differences. A unique key in the database ensures that each posting is made once, by any number of
// processes (docs/ledger.md).
import { eq, inArray, sql } from "drizzle-orm";
import { intentIdText } from "#core/db/as-text.ts";
import { inSlices } from "#core/db/batch.ts";
import type { Transaction } from "#core/db/client.ts";
import { columnNames } from "#core/db/column-names.ts";
import { isDatabaseUnavailable } from "#core/db/errors.ts";
import { insertMany } from "#core/db/insert-many.ts";
import { isAmong } from "#core/db/is-among.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { intent, intentOrderId } from "#core/db/schema/intents.ts";
import { ledgerPosting } from "#core/db/schema/ledger.ts";
import { payout } from "#core/db/schema/payouts.ts";
import type { WorkPurpose } from "#core/db/schema/work.ts";
import { toStoredForm } from "#core/db/stored-form.ts";
import { type IntentId, type OrderId, toIntentId } from "#core/ids.ts";
import { DEEPEST_REORG } from "#core/indexer-state/high-water-mark.ts";
import { describe } from "#core/log.ts";
import { addMissingWork, NOW, scheduleWork, type Work } from "#core/work/schedule-work.ts";
import type { Context } from "../runtime/context.ts";
import { finalizedBlock } from "../runtime/finalized-block.ts";
import { Problems } from "../runtime/problems.ts";
import type { Outcome } from "../runtime/work-items.ts";
import type { WorkHandler } from "../runtime/work-loop.ts";
import { type Difference, type Findings, findDifferences } from "./differences.ts";
import { BATCH, createUnpostedFinder } from "./find-unposted.ts";
import { createFeeFinder, FEES, markPosted } from "./unposted-fees.ts";

/** The number of slow polls between two scans for reorg changes below the high-water mark. */
const POLLS_PER_REORG_SCAN = 5;

const { postedState } = columnNames(payout);

const insertPostings = insertMany(ledgerPosting, [
  "deploymentId",
  "kind",
  "subject",
  "revision",
  "reversed",
  "amount",
  "currency",
  "intentId",
  "payoutId",
  "block",
  "txHash",
]);

type Postings = Pick<Findings, "differences" | "payouts">;

/** Returns work that is due now for the orders of these payments. */
async function listWork(
  database: Pick<Transaction, "select">,
  ids: readonly IntentId[],
  purpose: WorkPurpose,
): Promise<Work[]> {
  if (ids.length === 0) return [];
  const intents = await database
    .select({ orderId: intentOrderId, merchantId: intent.merchantId })
    .from(intent)
    .where(inArray(intent.id, [...ids]));
  return intents.map((one) => ({ ...one, purpose, ...NOW }));
}

/** Repeats settlements that a reorg removed after the bank had paid, although their payments have ended. */
async function settleAgain(
  tx: Transaction,
  deploymentId: number,
  posted: readonly Difference[],
): Promise<void> {
  const lost = posted.filter(({ kind, reversed }) => kind === "lost" && !reversed);
  const ids = lost.map(({ intentId }) => intentId);
  await scheduleWork(tx, deploymentId, await listWork(tx, ids, "settle"));
}

type Written = {
  /** The new postings. */
  written: Difference[];
  moved: boolean;
  /** The payments that could not be posted. */
  failed: Map<IntentId, unknown>;
  /** The payments for which another process posted something meanwhile, perhaps by an older comparison. */
  stale: Set<IntentId>;
};

const identify = ({ intentId, kind, subject }: Pick<Difference, "intentId" | "kind" | "subject">): string =>
  [intentId, kind, subject].join(" ");

/** Maximum number of payments that are compared at a time because of work items. */
const POSTED_AT_ONCE = 200;

/** Returns a function that compares some payments and posts their differences. */
function createComparison(context: Context) {
  const { database, guard, log, deployment: current } = context;
  const problems = new Problems(log);

  /** Posts the differences that no other process has already posted. */
  async function write({ differences, payouts }: Postings): Promise<Pick<Written, "written" | "stale">> {
    if (differences.length === 0 && payouts.length === 0) return { written: [], stale: new Set() };
    return database.transaction(async (tx) => {
      // A trigger sets the currency where it is null.
      const rows = differences.map(({ currency, ...difference }) => ({
        ...{ deploymentId: current.id, ...difference, currency: currency ?? undefined },
      }));
      const { rows: written } = await tx.execute<Pick<Difference, "intentId" | "kind" | "subject">>(
        sql`${insertPostings(rows)} on conflict do nothing
          returning ${intentIdText(ledgerPosting.intentId)} as "intentId", ${ledgerPosting.kind}, ${ledgerPosting.subject}`,
      );
      const made = new Set(written.map(identify));
      const isMade = (difference: Difference) => made.has(identify(difference));
      const posted = differences.filter(isMade);
      const missed = differences.filter((difference) => !isMade(difference));
      const stale = new Set(missed.map(({ intentId }) => intentId));
      const compared = payouts.filter(({ intentId }) => !stale.has(intentId));
      // A payout that another process has locked is skipped and compared again later: nothing waits here, so nothing
      // deadlocks.
      await tx.execute(sql`
        with free as (
          select ${payout.id}, k.state from json_to_recordset(${JSON.stringify(compared.map(toStoredForm(payout)))}::json) as k (id uuid, state text, fee numeric, gas numeric, delivered numeric)
          join ${payout} on ${payout.id} = k.id and ${payout.fee} = k.fee and ${payout.gas} = k.gas
            and ${payout.deliveredAmount} is not distinct from k.delivered
          for no key update of payout skip locked)
        update ${payout} set ${postedState} = free.state from free where ${payout.id} = free.id`);
      await settleAgain(tx, current.id, posted);
      return { written: posted, stale };
    });
  }

  /** Writes all findings at once or, if that fails, payment by payment, so that no payment blocks the others. */
  async function writeWhatCanBe(findings: Postings): Promise<Written> {
    const { differences, payouts } = findings;
    const intents = new Set([...differences, ...payouts].map(({ intentId }) => intentId));
    try {
      const { written, stale } = await write(findings);
      for (const id of intents) problems.resolve(`ledger of ${id}`);
      return { written, moved: written.length > 0 || payouts.length > 0, failed: new Map(), stale };
    } catch (error) {
      const [only] = intents;
      if (only === undefined || isDatabaseUnavailable(error)) throw error;
      if (intents.size === 1) {
        problems.report(`ledger of ${only}`, error);
        return { written: [], moved: false, failed: new Map([[only, error]]), stale: new Set() };
      }
      const of = <T extends { intentId: IntentId }>(rows: T[], id: IntentId) =>
        rows.filter(({ intentId }) => intentId === id);
      const done: Written = { written: [], moved: false, failed: new Map(), stale: new Set() };
      for (const id of intents) {
        const one = await writeWhatCanBe({ differences: of(differences, id), payouts: of(payouts, id) });
        done.written.push(...one.written);
        done.moved ||= one.moved;
        for (const [failed, reason] of one.failed) done.failed.set(failed, reason);
        for (const stale of one.stale) done.stale.add(stale);
      }
      return done;
    }
  }

  return async (ids: IntentId[], finalized: bigint | undefined): Promise<Written> => {
    const touched = sql`select ${intent.id} from ${intent}
      where ${isAmong(intent.id, ids)}`;
    const { snapshot, findings } = await findDifferences(context, touched, finalized);
    await guard(snapshot);
    const result = await writeWhatCanBe(findings);
    for (const { kind, intentId, amount, reversed } of result.written) {
      if (kind !== "lost") continue;
      const about = { intent: intentId, units: amount.toString() };
      if (reversed) log.warn(about, "a loss was reversed");
      else log.error(about, "LOSS: a provider took more than was settled, or a reorg removed a settlement");
    }
    return result;
  };
}

/**
 * Returns a handler that posts what the poster does not find: differences that could not be posted earlier, and the
 * reversal of fees of transactions that are no longer final.
 */
export function createPostingHandler(context: Context): WorkHandler {
  const compare = createComparison(context);
  return {
    atOnce: POSTED_AT_ONCE,
    async handle(items) {
      const finalized = await finalizedBlock(context);
      const ids = new Map(items.map(({ orderId }) => [toIntentId(orderId), orderId]));
      const { failed, stale } = await compare([...ids.keys()], finalized);
      const outcomes = new Map<OrderId, Outcome>();
      for (const [id, orderId] of ids) {
        if (failed.has(id)) outcomes.set(orderId, { refused: describe(failed.get(id)) });
        else if (stale.has(id)) outcomes.set(orderId, { delayMs: 0 });
      }
      return outcomes;
    },
  };
}

/** Returns a function that posts the facts that are not posted yet. */
export function createPoster(
  context: Context,
  reorgScanMs = context.config.pollIntervalMs * POLLS_PER_REORG_SCAN,
): () => Promise<void> {
  const { database, guard, deployment: current } = context;
  const findUnposted = createUnpostedFinder(context);
  const findFees = createFeeFinder(context);
  const compare = createComparison(context);
  let nextReorgScan = 0;

  /** Returns the work of createPostingHandler for these payments, with which the ledger continues without them. */
  const laterWork = (ids: readonly IntentId[]) => listWork(database, ids, "post_ledger");

  /** Also if the payment has work: a handler that is processing it may have compared before. */
  const compareAgain = async (ids: readonly IntentId[]): Promise<void> =>
    scheduleWork(database, current.id, await laterWork(ids));

  async function postFound(ids: IntentId[], finalized: bigint | undefined): Promise<boolean> {
    const { moved, failed, stale } = await compare(ids, finalized);
    await addMissingWork(database, current.id, await laterWork([...failed.keys()]), { derived: false });
    // The high-water mark passes their blocks, so that only a scan for reorgs would find what is still missing.
    await compareAgain([...stale]);
    return moved;
  }

  /**
   * Posts the fees of final transactions, together with everything else that is missing of their payments. What could not be
   * posted is left to the handler, as is the reversal of a fee whose transaction was changed meanwhile.
   */
  async function postFees(finalized: bigint | undefined): Promise<void> {
    for (;;) {
      const fees = await findFees();
      if (fees.length === 0) return;
      const ids = [...new Set(fees.flatMap(({ intentIds }) => intentIds))];
      const unknown = new Set<IntentId>();
      for (const some of inSlices(ids, POSTED_AT_ONCE)) {
        const { failed, stale } = await compare(some, finalized);
        await compareAgain([...failed.keys()]);
        for (const id of stale) unknown.add(id);
      }
      const compared = fees.filter(({ intentIds }) => !intentIds.some((id) => unknown.has(id)));
      // After a crash before this, they are compared again, and nothing is posted twice.
      const changed = await markPosted(database, compared);
      await compareAgain(changed.flatMap(({ intentIds }) => intentIds));
      if (fees.length < FEES || changed.length === compared.length) return;
    }
  }

  return async () => {
    const finalized = await finalizedBlock(context);
    await postFees(finalized);
    const scanReorgs = Date.now() >= nextReorgScan;
    for (;;) {
      const { snapshot, highWaterMark, deep, ids } = await findUnposted(
        scanReorgs ? DEEPEST_REORG : 0,
        finalized,
      );
      await guard(snapshot);
      const posted = ids.length > 0 && (await postFound(ids, finalized));
      if (ids.length === BATCH) {
        // There may be more payments. If none of these can be posted, the high-water mark and the worker wait for them.
        if (posted) continue;
        return;
      }
      if (deep !== highWaterMark) {
        await database
          .update(deployment)
          .set({ ledgerBlock: Math.max(0, deep) })
          .where(eq(deployment.id, current.id));
      }
      break;
    }
    if (scanReorgs) nextReorgScan = Date.now() + reorgScanMs;
  };
}
