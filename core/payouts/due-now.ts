// When a payout is claimed (again).
import { isNull, lte, or, sql } from "drizzle-orm";
import { payout } from "../db/schema/payouts.ts";

/** Whole milliseconds come back unchanged, and can be compared. */
const NOW = sql`date_trunc('milliseconds', clock_timestamp())`;

/**
 * Makes it due. A worker that has claimed it loses its lease, and does not write down what it learns: that may be older
 * than the reason for which it is due.
 */
export const dueNow = { nextAttemptAt: NOW, leasedUntil: null };

/** No worker has claimed it, or the lease of the one that had is over. */
export const isUnclaimed = or(isNull(payout.leasedUntil), lte(payout.leasedUntil, sql`clock_timestamp()`));

/** When it can be claimed: when it is due, and nobody has claimed it. Null: not at all. */
export const dueAt = sql<Date | null>`greatest(${payout.nextAttemptAt}, ${payout.leasedUntil})`.mapWith(
  payout.nextAttemptAt,
);
