// The parts that can be removed from the symbolic model to show that the proof fails without them: the fixes of the
// executable model, and fixes for laws that a search of a single order does not reach.
import { FIXES } from "../../escrow-model/fixes.ts";

export const PROOF_FIXES = [
  ...FIXES,
  /** Anyone can fund terms that name a payer. */
  "F7",
  /** A credit can be claimed to any address of the claimant's choice. */
  "F8",
  /** An agreement ends any open dispute. */
  "F11",
  /** The outgoing amount is the one that the token reports, not the change of its balance. */
  "F13",
  /** A dispute may last as long as its side chooses. */
  "windows are bounded",
] as const;
export type ProofFix = (typeof PROOF_FIXES)[number];
