// When a payout is due.
import { sql } from "drizzle-orm";
import { isLeaseOver } from "../db/lease.ts";
import { payout } from "../db/schema/payouts.ts";

/** With millisecond precision, so that the value survives a round trip and can be compared. */
const NOW = sql`date_trunc('milliseconds', clock_timestamp())`;

/**
 * Makes it due. A worker that has claimed it loses its lease and does not store its result, which may be older than the
 * reason why it is due.
 */
export const dueNow = { nextAttemptAt: NOW, leasedUntil: null };

/** Not claimed by a worker, or the lease has expired. */
export const isUnclaimed = isLeaseOver(payout.leasedUntil);

/** When it can be claimed: once it is due and not claimed. Null: never. */
export const dueAt = sql<Date | null>`greatest(${payout.nextAttemptAt}, ${payout.leasedUntil})`.mapWith(
  payout.nextAttemptAt,
);
