// Computes when a payout is due again.
import type { ClaimedPayout } from "./claim-payouts.ts";
import type { NextPoll } from "./write-payouts.ts";

/** Minimum polling interval of a payout. It also gives every poll, and therefore its job, a distinct time. */
const SOONEST_MS = 100;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 300_000;
/** Polling interval if the provider does not suggest one. */
export const FOLLOW_MS = 5_000;
/**
 * Maximum polling interval of a transfer whose funds have not left the wallet: no other payout can use them in the
 * meantime.
 */
const FOLLOW_ALLOCATED_MS = 30_000;
/** Polling interval of a transfer that might still be returned. */
export const FOLLOW_COMPLETED_MS = 3_600_000;

/** Polling interval while a payout waits for approval. */
export const HELD_MS = 300_000;
/** Polling interval while payouts are switched off. */
export const STOPPED_MS = 2_000;

/** Returns the time that the provider suggests, but never a time in the past. */
export const soonest = (at: Date): NextPoll => ({ at, inMs: SOONEST_MS });

/**
 * Returns the retry delay, which grows with the payout's age. It stays short while the payout holds funds that other
 * payouts may need.
 */
export const retryDelay = ({ createdAt }: ClaimedPayout, holdsFunds = false): number =>
  Math.min(
    Math.max((Date.now() - createdAt.getTime()) / 2, FIRST_RETRY_MS),
    holdsFunds ? FOLLOW_ALLOCATED_MS : LAST_RETRY_MS,
  );
