// The behavior of the two tokens: one always transfers correctly, the other as the test requires.
import type { TransferOutcome } from "../calls.ts";
import { type Address, ESCROW } from "../terms.ts";

/** Numbers of the modes in contracts/test/support/mocks/HostileToken.sol. */
export const MODES = {
  HONEST: 0,
  FEE: 1,
  BONUS: 2,
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
  /** Addresses from and to which the token moves nothing. */
  blocked: readonly Address[];
  /** Whether a rebase has removed the escrow's balance. The next rebase gives the escrow more than it had. */
  seized: boolean;
}

export const WELL_BEHAVED: TokenBehaviour = { mode: "HONEST", blocked: [], seized: false };

/** The amounts that a sender loses beyond the amount sent and that a receiver does not get. */
export interface Fees {
  sender: bigint;
  receiver: bigint;
}

export function feesOf({ mode }: TokenBehaviour): Fees {
  if (mode === "FEE") return { sender: 0n, receiver: 1n };
  if (mode === "BONUS") return { sender: 0n, receiver: -1n };
  return { sender: mode === "SENDER_FEE" ? 1n : 0n, receiver: 0n };
}

export function outcomeOf(
  { mode, blocked, seized }: TokenBehaviour,
  from: Address,
  to: Address,
): TransferOutcome {
  if (seized && from === ESCROW) return "keeps";
  if (blocked.includes(from) || blocked.includes(to)) return "keeps";
  if (mode === "RETURNS_FALSE" || mode === "REVERTS" || mode === "LIES") return "keeps";
  if (mode === "DENIES") return "movesAndDenies";
  if (mode === "FEE" || mode === "BONUS") return to === ESCROW ? "movesOtherAmount" : "moves";
  return mode === "SENDER_FEE" && from === ESCROW ? "movesOtherAmount" : "moves";
}
