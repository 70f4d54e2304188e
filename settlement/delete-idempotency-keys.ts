// Deletes what was stored under an Idempotency-Key more than a day ago, a bounded batch at a time.
import { sql } from "drizzle-orm";
import { idempotencyKey } from "#core/db/schema.ts";
import { IDEMPOTENCY_KEPT_MS } from "#core/idempotency.ts";
import type { Context } from "./context.ts";

const INTERVAL_MS = 60_000;
const BATCH = 1_000;

/** Makes the run: it does nothing until the interval is over. Of several replicas one deletes. */
export function createIdempotencyKeyDeleter(
  { database }: Pick<Context, "database">,
  intervalMs = INTERVAL_MS,
): (stopping?: AbortSignal) => Promise<void> {
  let nextAt = 0;

  /** @returns how many were deleted */
  const deleteBatch = (): Promise<number> =>
    database.transaction(async (tx) => {
      const { rows } = await tx.execute<{ mine: boolean }>(
        sql`select pg_try_advisory_xact_lock(hashtextextended('gateway.delete_idempotency_keys', 0)) as mine`,
      );
      if (!rows[0]?.mine) return 0;
      // By row identifiers: a join with the batch may read the table to its end. A key that a request takes over is skipped.
      const { rowCount } = await tx.execute(sql`
        delete from ${idempotencyKey} where ctid = any (array (
          select ctid from ${idempotencyKey}
          where ${idempotencyKey.createdAt} < statement_timestamp() - ${IDEMPOTENCY_KEPT_MS} * interval '1 millisecond'
          order by ${idempotencyKey.createdAt} limit ${BATCH} for update skip locked))`);
      return rowCount ?? 0;
    });

  return async (stopping) => {
    if (Date.now() < nextAt) return;
    while (!stopping?.aborted && (await deleteBatch()) === BATCH);
    nextAt = Date.now() + intervalMs;
  };
}
