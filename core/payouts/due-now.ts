// When a payout is due.
import { sql } from "drizzle-orm";
import { isLeaseOver } from "../db/lease.ts";
import { payout } from "../db/schema/payouts.ts";

/** The current time with millisecond precision, so that the value survives a round trip and can be compared. */
const NOW = sql`date_trunc('milliseconds', clock_timestamp())`;

/**
 * Makes a payout due. A worker that has claimed the payout loses its lease and does not store its result, which may be
 * older than the reason why the payout is due.
 */
export const dueNow = { nextAttemptAt: NOW, leasedUntil: null };

/** Whether the payout is not claimed by a worker, or the lease has expired. */
export const isUnclaimed = isLeaseOver(payout.leasedUntil);

/** When the payout can be claimed: once it is due and no lease is active. Null if never. */
export const dueAt = sql<Date | null>`greatest(${payout.nextAttemptAt}, ${payout.leasedUntil})`.mapWith(
  payout.nextAttemptAt,
);
