// When a payout is due.
import { isNull, lte, or, sql } from "drizzle-orm";
import { payout } from "../db/schema/payouts.ts";

/** In milliseconds, which come back unchanged and can be compared. */
const NOW = sql`date_trunc('milliseconds', clock_timestamp())`;

/**
 * Makes it due. A worker that has claimed it loses its lease, and does not store its result: that may be older than the
 * reason for which it is due.
 */
export const dueNow = { nextAttemptAt: NOW, leasedUntil: null };

/** No worker has claimed it, or its lease has ended. */
export const isUnclaimed = or(isNull(payout.leasedUntil), lte(payout.leasedUntil, sql`clock_timestamp()`));

/** When it can be claimed: when it is due and not claimed. Null: not at all. */
export const dueAt = sql<Date | null>`greatest(${payout.nextAttemptAt}, ${payout.leasedUntil})`.mapWith(
  payout.nextAttemptAt,
);
