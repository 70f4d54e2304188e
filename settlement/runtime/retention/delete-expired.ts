// Deletes the rows whose retention period has ended, in bounded batches. Only the leader runs this worker; a second one
// would be harmless, because each skips the rows that the other has locked.
import { getTableName, sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import type { Context } from "../context.ts";
import { dueBy, RETENTION_RULES, type RetentionRule } from "./rules.ts";

const INTERVAL_MS = 60_000;
export const BATCH = 1_000;

/** @returns the number of deleted rows, at most `limit` */
export async function deleteBatch(
  database: Pick<Database, "execute">,
  rule: RetentionRule,
  limit = BATCH,
): Promise<number> {
  // Deletes by row identifiers, because a join with the batch may read the table to its end. A row that is in use waits
  // for the next run.
  const { rowCount } = await database.execute(sql`
    delete from ${rule.table} where ctid = any (array (
      select ctid from ${rule.table} where ${dueBy(rule)}
      order by ${rule.since} limit ${limit} for update skip locked))`);
  return rowCount ?? 0;
}

/** @returns the number of deleted rows, even if `stopping` ended the loop early */
async function deleteDue(
  database: Pick<Database, "execute">,
  rule: RetentionRule,
  stopping: AbortSignal | undefined,
): Promise<number> {
  let deleted = 0;
  while (!stopping?.aborted) {
    const count = await deleteBatch(database, rule);
    deleted += count;
    if (count < BATCH) break;
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
