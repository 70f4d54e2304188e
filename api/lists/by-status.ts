// Selects a merchant's intents by the status of their last event, without reading the intents
// (docs/decisions/0032-heap-only-updates.md).
import { and, asc, desc, eq, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/pg-core";
import type { Database } from "#core/db/client.ts";
import { intent, intentByStatus } from "#core/db/schema/intents.ts";
import type { IntentStatus } from "#core/model/intent-status.ts";
import type { MerchantStatus } from "#core/model/merchant-status.ts";
import type { Mode } from "#core/model/mode.ts";
import { createdIn, orderByPage, type Page, type RowPosition, rowsAfter } from "./page.ts";

export type StatusPair = { status: IntentStatus; merchantStatus: MerchantStatus };

/** The direction and the start of a page. */
export type Start = Pick<Page, "isBackward"> & { place: RowPosition | undefined };

/** `each` is the number of rows per pair. */
export type Part = Start & { created?: Parameters<typeof createdIn>[1]; each: number; limit: number };

const ROW = {
  id: intentByStatus.intentId,
  createdAt: intentByStatus.createdAt,
  status: intentByStatus.status,
  merchantStatus: intentByStatus.merchantStatus,
};
const CURSOR = { id: intent.id, createdAt: intent.createdAt, tieBreak: intent.id };

type Owner = { merchantId: string; mode: Mode };

const selectOne = (
  database: Database,
  { merchantId, mode }: Owner,
  { status, merchantStatus }: StatusPair,
  { created, place, each, ...page }: Part,
) =>
  database
    .select(ROW)
    .from(intentByStatus)
    .where(
      and(
        eq(intentByStatus.merchantId, merchantId),
        eq(intentByStatus.mode, mode),
        eq(intentByStatus.merchantStatus, merchantStatus),
        eq(intentByStatus.status, status),
        ...createdIn(ROW.createdAt, created),
        ...(place ? rowsAfter(page, ROW, ROW.id, place, CURSOR) : []),
      ),
    )
    .orderBy(...orderByPage(page, ROW.createdAt, ROW.id))
    .limit(each);

/**
 * Selects the rows of one of these statuses, in reading order. Each pair is read separately through its part of the
 * key. A single query for all pairs would read all of the merchant's rows.
 * @returns undefined if there are no pairs
 */
export function selectByStatus(database: Database, owner: Owner, pairs: readonly StatusPair[], part: Part) {
  const [first, second, ...rest] = pairs.map((pair) => selectOne(database, owner, pair, part));
  if (!first || !second) return first;
  const order = part.isBackward ? asc : desc;
  return unionAll(first, second, ...rest)
    .orderBy(order(sql`created_at`), order(sql`intent_id`))
    .limit(part.limit);
}
