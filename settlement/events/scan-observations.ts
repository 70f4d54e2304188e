// Safety net for the observer: reads, page by page, every intent that can still change and every ended intent whose end
// may be undone. Block changes and changes to the service's own rows should already have made every observation due, so
// this scan should find nothing.
import { and, eq, isNull, sql } from "drizzle-orm";
import * as chain from "#core/db/chain.ts";
import { hasStatus } from "#core/db/order-statuses.ts";
import { event } from "#core/db/schema/events.ts";
import { intent } from "#core/db/schema/intents.ts";
import { payout } from "#core/db/schema/payouts.ts";
import type { IntentId } from "#core/ids.ts";
import type { Context } from "../runtime/context.ts";
import { createPageScan, type Scan, type ScanOptions, type ScanPosition } from "../runtime/scan-pages.ts";
import { isUnreported } from "./observe.ts";
import { recordChanges } from "./record-changes.ts";

/** Number of intents per page. With many open payments, reading a payment takes over 20 pages of the database. */
const PAGE = 75;
/** Time after a cancellation during which a reorg may still undo it. */
const UNSETTLED_CANCELLATION = "1 day";

type Row = ScanPosition & { id: IntentId };
const afterId = sql.param(sql.placeholder("id"), intent.id);
/** For sources in the order of their ids alone. */
const noPlace = sql<string>`''`;

/** Selects intents that have not ended. Other intents change only if a reorg or a bank undoes their end. */
const selectOpen = ({ reads, deployment }: Context) =>
  reads
    .select({ id: intent.id, after: noPlace })
    .from(intent)
    .where(
      and(eq(intent.deploymentId, deployment.id), isNull(intent.endedAs), sql`${intent.id} > ${afterId}`),
    )
    .orderBy(intent.id)
    .limit(PAGE)
    .prepare("observe_open");

/**
 * Selects recently canceled intents, and whether their cancellation can be undone: an order appeared although the
 * intent had expired, a reorg removed the order's refund, or the order vanished together with its refund. An intent
 * that the merchant canceled stays canceled: return-late-funding.ts returns its money.
 */
function selectCanceled({ reads, deployment }: Context) {
  const earliest = sql`greatest(coalesce(nullif(${sql.placeholder("after")}, ''), '-infinity')::timestamptz,
    now() - ${sql.raw(`interval '${UNSETTLED_CANCELLATION}'`)})`;
  // The limit applies before the join with orders, so that it bounds the rows that are read, not those that are found.
  const canceled = reads
    .select({ id: intent.id, endedAt: intent.endedAt })
    .from(intent)
    .where(
      and(
        eq(intent.deploymentId, deployment.id),
        sql`${intent.endedAs} = 'CANCELED'`,
        sql`${intent.canceledAt} is null`,
        sql`(${intent.endedAt}, ${intent.id}) > (${earliest}, ${afterId})`,
      ),
    )
    .orderBy(intent.endedAt, intent.id)
    .limit(PAGE)
    .as("canceled");
  return reads
    .select({
      id: canceled.id,
      after: sql<string>`${canceled.endedAt}::text`,
      isReopened: sql<boolean>`case when ${chain.order.id} is null
        then exists (select from ${event} where ${event.intentId} = ${canceled.id} and ${event.decidedBy} <> ''
          and ${event.toStatus} = 'CANCELED')
        else not (${hasStatus(chain.order.status, "Cancelled")}) or ${chain.order.released} > 0 end`,
    })
    .from(canceled)
    .leftJoin(chain.order, eq(chain.order.id, canceled.id))
    .orderBy(canceled.endedAt, canceled.id)
    .prepare("observe_canceled");
}

/** Selects intents that were final until a bank returned the money. */
const selectReturned = ({ reads, deployment }: Context) =>
  reads
    .select({ id: intent.id, after: noPlace })
    .from(intent)
    .where(
      and(
        eq(intent.deploymentId, deployment.id),
        sql`${intent.endedAs} = 'FINAL'`,
        sql`${intent.id} > ${afterId}`,
        sql`${intent.id} in (select ${payout.intentId} from ${payout}
          where ${payout.state} in ('failed', 'returned') and not ${payout.retried})`,
      ),
    )
    .orderBy(intent.id)
    .limit(PAGE)
    .prepare("observe_returned");

/**
 * Creates the scan. It counts intents with a change that nothing else noticed while they were read twice. Ended intents
 * come first: they leave their window, which must not pass while many open intents are read.
 */
export function createObservationScan(context: Context, options?: ScanOptions): Scan {
  const findUnreported = async (ids: IntentId[]) =>
    ids.length === 0 ? [] : (await context.reader.findAll(ids)).filter(isUnreported);

  const findMissing = async (rows: readonly (Row & { isReopened?: boolean })[]) => {
    const ids = rows.filter(({ isReopened = true }) => isReopened).map(({ id }) => id);
    return (await findUnreported(ids)).map((view) => ({ id: view.intent.id }));
  };

  async function repair(missing: readonly { id: IntentId }[]): Promise<number> {
    const views = await findUnreported(missing.map(({ id }) => id));
    const changedMeanwhile = views.length === 0 ? [] : await recordChanges(context, views);
    return views.length - changedMeanwhile.length;
  }

  const queries = [selectCanceled(context), selectReturned(context), selectOpen(context)];
  const sources = queries.map((query) => ({
    pageSize: PAGE,
    read: (place: ScanPosition): Promise<(Row & { isReopened?: boolean })[]> => query.execute(place),
    findMissing,
    repair,
  }));
  return createPageScan(context.log, sources, options);
}
