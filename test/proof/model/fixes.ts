// What can be removed from the symbolic model to show that the proof notices: the fixes of the executable model, and
// those of laws that a search of one order does not reach.
import { FIXES } from "../../escrow-model/fixes.ts";

export const PROOF_FIXES = [
  ...FIXES,
  /** Terms that name a payer can be funded by anybody. */
  "F7",
  /** A credit can be claimed to an address of the claimant's choice. */
  "F8",
  /** An agreement ends whichever dispute is open. */
  "F11",
  /** The outgoing amount is what the token reports, not what its balance shows. */
  "F13",
  /** A dispute may last as long as its side likes. */
  "windows are bounded",
] as const;
export type ProofFix = (typeof PROOF_FIXES)[number];
