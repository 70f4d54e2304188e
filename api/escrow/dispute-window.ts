// The duration of a dispute: at least what the terms require, at most 30 days. While a time lock runs, the merchant's
// dispute must also leave the payer the terms' window before the lock ends (contracts/parts/Disputes.sol,
// docs/decisions/0021-time-after-a-dispute.md).
import { RELEASE_TYPES } from "#core/chain/terms.ts";
import type { Config } from "#core/config/config.ts";
import { invalidRequest, invalidStatus } from "#core/errors.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { DEFAULT_DISPUTE_WINDOW } from "#core/intent/show-escrow.ts";

/** The contract's maximum window, in seconds. */
const MAX_DISPUTE_WINDOW = 2_592_000;

/** How many blocks and seconds a dispute may wait to be mined, while the lock's end comes closer. */
const MINED_WITHIN = { blocks: 15, seconds: 30 };

/** In seconds. */
export type DisputeWindows = {
  shortest: number;
  /** The contract could reject a longer one by the time it is mined. */
  longest: number;
  /** Below `longest`, so that a caller whose request is rejected can still request it. */
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
 * The requested window; without one, the default or the closest allowed window.
 * @throws ServiceError 400 `invalid_request` with `param: disputeWindow`; `invalid_status` if no window is short enough
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
