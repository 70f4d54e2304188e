// When a payout is due again.
import type { ClaimedPayout } from "./claim-payouts.ts";
import type { NextPoll } from "./write-payouts.ts";

/** Minimum polling interval of a payout. It also gives every poll, and so its job, a distinct time. */
const SOONEST_MS = 100;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 300_000;
/** Polling interval if the provider does not suggest one. */
export const FOLLOW_MS = 5_000;
/** Longest polling interval of a transfer whose funds have not left the wallet: no other payout can use them meanwhile. */
const FOLLOW_ALLOCATED_MS = 30_000;
/** Polling interval of a transfer that might still be returned. */
export const FOLLOW_COMPLETED_MS = 3_600_000;

/** Polling interval while it waits for approval. */
export const HELD_MS = 300_000;
/** Polling interval while payouts are switched off. */
export const STOPPED_MS = 2_000;

/** The time suggested by the provider, but never in the past. */
export const soonest = (at: Date): NextPoll => ({ at, inMs: SOONEST_MS });

/** The delay grows with the time since the first failure. It is short if other payouts may use the funds after it. */
export const retryDelay = ({ createdAt }: ClaimedPayout, holdsFunds = false): number =>
  Math.min(
    Math.max((Date.now() - createdAt.getTime()) / 2, FIRST_RETRY_MS),
    holdsFunds ? FOLLOW_ALLOCATED_MS : LAST_RETRY_MS,
  );
