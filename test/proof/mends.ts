// What can be taken out of the symbolic model, to show that the proof notices: the mends of the executable model, and
// those of laws that one order's search does not reach.
import { MENDS } from "../escrow-model/mends.ts";

export const PROOF_MENDS = [
  ...MENDS,
  /** Terms that name a payer are funded by anybody. */
  "F7",
  /** A credit is claimed to an address of the claimant's choice. */
  "F8",
  /** An agreement ends whichever dispute there is. */
  "F11",
  /** What leaves is what the token says, and not what its balance says. */
  "F13",
  /** A dispute may last as long as its side likes. */
  "windows are bounded",
] as const;
export type ProofMend = (typeof PROOF_MENDS)[number];
