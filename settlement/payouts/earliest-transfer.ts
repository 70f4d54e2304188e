// Computes the earliest time at which a provider's list can contain a payout's transfer.
import type { payout } from "#core/db/schema/payouts.ts";

/** Maximum clock difference: a transfer may appear to be older than its payout by this much. */
const CLOCKS_MS = 300_000;

/**
 * The provider cannot have received a payout's reference before its settlement was on chain. The payout's row may be
 * younger than the transfer, because payouts are planned again after a database restore.
 */
export const earliestTransfer = ({
  createdAt,
  settledAt,
}: Pick<typeof payout.$inferSelect, "createdAt" | "settledAt">): Date =>
  new Date(Math.min(createdAt.getTime(), settledAt.getTime()) - CLOCKS_MS);
