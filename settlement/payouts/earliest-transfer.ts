// The earliest time at which a provider's list can have a payout's transfer.
import type { payout } from "#core/db/schema/payouts.ts";

/** Clocks differ: a transfer may seem to be older than its payout by this much. */
const CLOCKS_MS = 300_000;

/**
 * The provider cannot have got a payout's reference before its settlement was on chain. The row itself may be younger
 * than the transfer: it is planned again when a database had to be restored.
 */
export const earliestTransfer = ({
  createdAt,
  settledAt,
}: Pick<typeof payout.$inferSelect, "createdAt" | "settledAt">): Date =>
  new Date(Math.min(createdAt.getTime(), settledAt.getTime()) - CLOCKS_MS);
