// When a payout is looked at (again).
import { sql } from "drizzle-orm";
import { payout } from "../db/schema/payouts.ts";

/** Whole milliseconds come back unchanged, and can be compared. */
const NOW = sql`date_trunc('milliseconds', clock_timestamp())`;

/**
 * Makes it due to be looked at. A worker that has it in hand loses its lease, and does not write down what it learns: that
 * may be older than the reason to look.
 */
export const dueNow = { nextAttemptAt: NOW, leasedUntil: null };

/** When it can be taken up: when it is due, and nobody has it in hand. Null: not at all. */
export const dueAt = sql<Date | null>`greatest(${payout.nextAttemptAt}, ${payout.leasedUntil})`.mapWith(
  payout.nextAttemptAt,
);
