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
import { isUnreported, recordUnreported } from "./observe.ts";

/** Number of intents per page. With many open payments, reading a payment takes over 20 pages of the database. */
const PAGE = 75;
/** Number of pages of canceled intents per scan. The next scan continues after them. */
const CANCELED_PAGES = 10;
/** Time after a cancellation during which a reorg may still undo it. */
const UNSETTLED_CANCELLATION = "1 day";

/** The empty id is before every other id. */
type ScanPosition = { after: string; id: string };
const START: ScanPosition = { after: "", id: "" };

/** Selects intents that have not ended. Other intents change only if a reorg or a bank undoes their end. */
const selectOpen = ({ reads, deployment }: Context) =>
  reads
    .select({ id: intent.id })
    .from(intent)
    .where(
      and(
        eq(intent.deploymentId, deployment.id),
        isNull(intent.endedAs),
        sql`${intent.id} > ${sql.param(sql.placeholder("after"), intent.id)}`,
      ),
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
        sql`(${intent.endedAt}, ${intent.id}) > (${earliest}, ${sql.param(sql.placeholder("id"), intent.id)})`,
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
    .select({ id: intent.id })
    .from(intent)
    .where(
      and(
        eq(intent.deploymentId, deployment.id),
        sql`${intent.endedAs} = 'FINAL'`,
        sql`${intent.id} in (select ${payout.intentId} from ${payout}
          where ${payout.state} in ('failed', 'returned') and not ${payout.retried})`,
      ),
    )
    .limit(PAGE)
    .prepare("observe_returned");

/**
 * Creates the scan.
 * @param pause called before each page
 * @returns the scan, which returns the number of intents with a change that nothing else had noticed
 */
export function createObservationScan(
  context: Context,
  pause: (stopping?: AbortSignal) => Promise<void> = async () => undefined,
): (stopping?: AbortSignal) => Promise<number> {
  const open = selectOpen(context);
  const canceled = selectCanceled(context);
  const returned = selectReturned(context);
  let place = START;

  async function observe(ids: IntentId[]): Promise<number> {
    if (ids.length === 0) return 0;
    const views = await context.reader.findAll(ids);
    const changedMeanwhile = await recordUnreported(context, views);
    return views.filter((view) => isUnreported(view) && !changedMeanwhile.has(view.intent.id)).length;
  }

  async function scanOpen(stopping?: AbortSignal): Promise<number> {
    let found = 0;
    for (let after: string | undefined = ""; after !== undefined; ) {
      await pause(stopping);
      if (stopping?.aborted) break;
      const ids: IntentId[] = (await open.execute({ after })).map(({ id }) => id);
      found += await observe(ids);
      after = ids.length < PAGE ? undefined : ids.at(-1);
    }
    return found;
  }

  async function scanCanceled(stopping?: AbortSignal): Promise<number> {
    let found = 0;
    for (let page = 0; page < CANCELED_PAGES; page++) {
      await pause(stopping);
      if (stopping?.aborted) break;
      const rows = await canceled.execute(place);
      found += await observe(rows.flatMap(({ id, isReopened }) => (isReopened ? [id] : [])));
      const last = rows.at(-1);
      const isEnd = !last || rows.length < PAGE;
      place = isEnd ? START : { after: last.after, id: last.id };
      if (isEnd) break;
    }
    return found;
  }

  return async (stopping) => {
    let found = await scanOpen(stopping);
    found += await scanCanceled(stopping);
    await pause(stopping);
    if (stopping?.aborted) return found;
    return found + (await observe((await returned.execute()).map(({ id }) => id)));
  };
}
