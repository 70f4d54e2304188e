// Finds a merchant's intents by the status of their last event and by other conditions, in reading order.
import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/pg-core";
import type { Caller } from "#core/api-keys/api-keys.ts";
import { isAmong } from "#core/db/is-among.ts";
import { intent } from "#core/db/schema/intents.ts";
import type { IntentId } from "#core/ids.ts";
import { type Start, type StatusPair, selectByStatus } from "../../lists/by-status.ts";
import { createdIn, orderByPage, rowsAfter } from "../../lists/page.ts";
import type { Services } from "../../services.ts";

/** Conditions on the intent, except for its creation time, which several tables contain. */
export type Conditions = { where: SQL[]; created: Parameters<typeof createdIn>[1] };

type RowKey = { id: IntentId; createdAt: Date };

/**
 * Selects a merchant's intents that match the conditions, starting after a position: newest first, or oldest first
 * if the page is read backward.
 */
export function selectNearest(
  { database }: Services,
  caller: Caller,
  { where, created }: Conditions,
  { place, ...page }: Start,
  limit: number,
) {
  return database
    .select({ id: intent.id, createdAt: intent.createdAt })
    .from(intent)
    .where(
      and(
        eq(intent.merchantId, caller.merchantId),
        eq(intent.mode, caller.mode),
        ...createdIn(intent.createdAt, created),
        ...(place ? rowsAfter(page, intent, intent.id, place) : []),
        ...where,
      ),
    )
    .orderBy(...orderByPage(page, intent.createdAt, intent.id))
    .limit(limit);
}

/** A status with fewer intents is rare: the other conditions are checked on each of them. */
const RARE = 1_000;

/**
 * Finds the nearest intents whose last event has one of these statuses, and that match the conditions. The intents of a
 * rare status are read by their ids. For a frequent status, PostgreSQL chooses the index, as without a status. In one
 * query, it would join both tables completely.
 */
export async function findByStatus(
  services: Services,
  caller: Caller,
  { pairs, where, created }: Conditions & { pairs: readonly StatusPair[] },
  start: Start,
  limit: number,
): Promise<RowKey[]> {
  const { database } = services;
  if (where.length === 0)
    return (await selectByStatus(database, caller, pairs, { ...start, created, each: limit, limit })) ?? [];
  const part = { ...start, created, each: RARE, limit: RARE * pairs.length };
  const listed = (await selectByStatus(database, caller, pairs, part)) ?? [];
  const rare: IntentId[] = [];
  const among: (SQL | undefined)[] = [];
  for (const { status, merchantStatus } of pairs) {
    const rows = listed.filter((row) => row.status === status && row.merchantStatus === merchantStatus);
    if (rows.length < RARE) rare.push(...rows.map(({ id }) => id));
    else
      among.push(
        and(eq(intent.lastEmittedStatus, status), eq(intent.lastEmittedMerchantStatus, merchantStatus)),
      );
  }
  if (rare.length > 0) among.push(isAmong(intent.id, rare));
  const [first, second, ...rest] = among.map((condition) =>
    selectNearest(
      services,
      caller,
      { where: [...where, ...(condition ? [condition] : [])], created },
      start,
      limit,
    ),
  );
  if (!first || !second) return first ?? [];
  const order = start.isBackward ? asc : desc;
  return unionAll(first, second, ...rest)
    .orderBy(order(sql`created_at`), order(sql`id`))
    .limit(limit);
}
