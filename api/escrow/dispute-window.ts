// The window of a dispute is at least as long as the terms require and at most 30 days. While a time lock runs,
// a dispute by the merchant must end early enough to leave the payer the terms' window before the lock ends
// (contracts/parts/Disputes.sol, docs/decisions/0021-time-after-a-dispute.md).
import { RELEASE_TYPES } from "#core/chain/terms.ts";
import type { Config } from "#core/config/config.ts";
import { invalidRequest, invalidStatus } from "#core/errors.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { DEFAULT_DISPUTE_WINDOW } from "#core/intent/show-escrow.ts";

/** The contract's maximum window, in seconds. */
const MAX_DISPUTE_WINDOW = 2_592_000;

/** Margin for the time until a dispute's transaction is mined, because the lock's end comes closer in the meantime. */
const MINED_WITHIN = { blocks: 15, seconds: 30 };

/** Allowed windows in seconds. */
export type DisputeWindows = {
  shortest: number;
  /** The contract could reject a longer window by the time the transaction is mined. */
  longest: number;
  /** Usually below `longest`, so that a caller whose request was rejected can still use this value. */
  suggested: number;
  /** Whether a running lock limits the window. */
  locked: boolean;
};

type Facts = Pick<IntentView, "terms"> & { facts: Pick<IntentView["facts"], "now"> };

export function disputeWindows(
  side: "payer" | "merchant",
  { terms, facts }: Facts,
  { chain }: { chain: Pick<Config["chain"], "blockTime"> },
): DisputeWindows {
  const shortest = terms.disputeWindow;
  const left = terms.timeLockUntil - facts.now;
  if (side === "payer" || RELEASE_TYPES[terms.releaseType] !== "TIME_LOCKED" || left <= 0) {
    return { shortest, longest: MAX_DISPUTE_WINDOW, suggested: MAX_DISPUTE_WINDOW, locked: false };
  }
  const margin = Math.max(MINED_WITHIN.seconds, Math.ceil(MINED_WITHIN.blocks * chain.blockTime));
  const longest = left - shortest - margin;
  return {
    shortest,
    longest: Math.min(longest, MAX_DISPUTE_WINDOW),
    suggested: Math.min(Math.max(longest - margin, shortest), MAX_DISPUTE_WINDOW),
    locked: longest - margin < MAX_DISPUTE_WINDOW,
  };
}

/**
 * Returns the requested window or, if none was requested, the default or the closest allowed window.
 * @throws ServiceError 400 `invalid_request` with `param: disputeWindow`; `invalid_status` if no window is short
 * enough
 */
export function chooseWindow(asked: string | number | undefined, windows: DisputeWindows): number {
  const { shortest, longest, suggested, locked } = windows;
  if (longest < shortest) {
    throw invalidStatus(
      `The time lock ends too soon for a dispute by the merchant, which must end ${shortest} seconds before the time lock ends and last at least ${shortest} ` +
        "seconds. This limit does not apply to the payer's dispute.",
    );
  }
  const window =
    asked === undefined ? Math.max(shortest, Math.min(DEFAULT_DISPUTE_WINDOW, suggested)) : Number(asked);
  if (window >= shortest && window <= longest) return window;
  throw invalidRequest(
    `Invalid disputeWindow: this payment allows ${shortest} to ${suggested} seconds${
      locked ? `, because the merchant's dispute must end ${shortest} seconds before the time lock ends` : ""
    }.`,
    "disputeWindow",
  );
}
