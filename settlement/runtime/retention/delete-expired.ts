// Deletes the rows whose retention period has ended, in bounded batches. Only the leader runs this worker; a second one
// would be harmless, because each skips the rows that the other has locked.
import { getTableName, sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import type { Context } from "../context.ts";
import { dueBy, RETENTION_RULES, type RetentionRule } from "./rules.ts";

const INTERVAL_MS = 60_000;
/** A row costs up to 25 pages: its own, those of its index entry, and those of the rows that the deletion cascades to. */
export const BATCH = 100;

type Batch = {
  /** The number of deleted rows, at most the limit. */
  count: number;
  /** The latest `since` of the deleted rows, as text; null if there were none. */
  last: string | null;
};

/**
 * @param from the `last` of the previous batch. Without it, each batch would read the index entries of all rows that
 *   earlier batches have deleted, until a vacuum removes them
 */
export async function deleteBatch(
  database: Pick<Database, "execute">,
  rule: RetentionRule,
  { limit = BATCH, from = null }: { limit?: number; from?: Batch["last"] } = {},
): Promise<Batch> {
  const { table, since } = rule;
  const isLater = from === null ? sql`true` : sql`${since} >= ${from}::${sql.raw(since.getSQLType())}`;
  // Deletes by row identifiers, because a join with the batch may read the table to its end. A row that is in use waits
  // for the next run.
  const { rows } = await database.execute<{ last: string }>(sql`
    with deleted as (
      delete from ${table} where ctid = any (array (
        select ctid from ${table} where ${dueBy(rule)} and ${isLater}
        order by ${since} limit ${limit} for update skip locked))
      returning ${since} as since)
    select since::text as last from deleted order by since desc`);
  return { count: rows.length, last: rows[0]?.last ?? null };
}

/** @returns the number of deleted rows, even if `stopping` ended the loop early */
async function deleteDue(
  database: Pick<Database, "execute">,
  rule: RetentionRule,
  stopping: AbortSignal | undefined,
): Promise<number> {
  let deleted = 0;
  let from: Batch["last"] = null;
  while (!stopping?.aborted) {
    const batch: Batch = await deleteBatch(database, rule, { from });
    deleted += batch.count;
    if (batch.count < BATCH) break;
    from = batch.last;
  }
  return deleted;
}

/**
 * @returns a handler that does nothing until the interval has passed, then applies every rule and logs the number of
 *   deleted rows per table. An error in one rule does not prevent the others from being applied
 * @throws the first error, after the last rule
 */
export function createRetentionWorker(
  { database, log }: Pick<Context, "database" | "log">,
  { intervalMs = INTERVAL_MS, rules = RETENTION_RULES } = {},
): (stopping?: AbortSignal) => Promise<void> {
  let nextAt = 0;
  return async (stopping) => {
    if (Date.now() < nextAt) return;
    const deleted: Record<string, number> = {};
    const errors: unknown[] = [];
    for (const rule of rules) {
      try {
        const count = await deleteDue(database, rule, stopping);
        if (count > 0) deleted[getTableName(rule.table)] = count;
      } catch (error) {
        errors.push(error);
      }
    }
    if (Object.keys(deleted).length > 0)
      log.info({ deleted }, "deleted rows whose retention period has ended");
    if (errors.length > 0) throw errors[0];
    nextAt = Date.now() + intervalMs;
  };
}
