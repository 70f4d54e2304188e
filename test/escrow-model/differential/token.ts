// How the two tokens behave: one always moves what it is asked to, the other one does as the test says.
import type { TransferOutcome } from "../calls.ts";
import { type Address, ESCROW } from "../terms.ts";

/** Modes of contracts/test/support/mocks/HostileToken.sol, by their number. */
export const MODES = {
  HONEST: 0,
  NO_RETURN: 3,
  RETURNS_FALSE: 4,
  REVERTS: 5,
  LIES: 6,
  DENIES: 7,
  SENDER_FEE: 8,
} as const;
export type Mode = keyof typeof MODES;

export interface TokenBehaviour {
  mode: Mode;
  /** The token moves nothing from or to them. */
  blocked: readonly Address[];
}

export const WELL_BEHAVED: TokenBehaviour = { mode: "HONEST", blocked: [] };

/** What a sender loses beyond what it sends. */
export const fee = ({ mode }: TokenBehaviour): bigint => (mode === "SENDER_FEE" ? 1n : 0n);

export function outcomeOf({ mode, blocked }: TokenBehaviour, from: Address, to: Address): TransferOutcome {
  if (blocked.includes(from) || blocked.includes(to)) return "keeps";
  if (mode === "RETURNS_FALSE" || mode === "REVERTS" || mode === "LIES") return "keeps";
  if (mode === "DENIES") return "movesAndDenies";
  return mode === "SENDER_FEE" && from === ESCROW ? "movesOtherAmount" : "moves";
}
