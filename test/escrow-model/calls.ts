// The contract's operations as values, with their callers, conditions and results.
import type { Fix } from "./fixes.ts";
import type { Order, Side } from "./order.ts";
import type { Address, Terms } from "./terms.ts";

/**
 * Signatures are modeled by their effect: `signers` have validly signed this operation with these arguments on this
 * order. A call with `signers` is authorized by them, and any other call by its caller.
 */
export type Call =
  | { name: "createOrder"; payer: Address; signers?: readonly Address[] }
  | { name: "markShipped"; signers?: readonly Address[] }
  | { name: "submitDeliveryProof"; proofHash: string; signers?: readonly Address[] }
  | { name: "release" }
  | { name: "releaseTimeLocked" }
  | {
      name: "releaseMilestone";
      cumulative: bigint;
      /** Only without fix F6: the milestone that the signature names. `cumulative` is then that milestone's amount. */
      index?: number;
      signers?: readonly Address[];
    }
  | { name: "settle" }
  | { name: "withdraw" }
  | { name: "refund"; amount: bigint }
  | { name: "reclaim" }
  /** With the payer's signature over window and expiry, the operator can raise the payer's dispute. */
  | { name: "raiseDispute"; window: number; signers?: readonly Address[]; expiry?: number }
  | { name: "resolveDispute"; payeeAmount: bigint }
  | {
      name: "resolveDisputeByAgreement";
      payeeAmount: bigint;
      dispute: number;
      expiry: number;
      signers: readonly Address[];
    }
  | { name: "resolveExpiredDispute" }
  | { name: "claimCredit" };

export interface Context {
  terms: Terms;
  caller: Address;
  /** The block timestamp, in seconds. */
  now: number;
  /** Whether the token is accepted for funding and funding is not paused. Default: true. */
  fundable?: boolean;
  /** The outcome if the escrow currently sends the token to this address. Default: "moves". */
  transferTo?: ((receiver: Address) => TransferOutcome) | undefined;
  withoutFix?: Fix | null;
}

/**
 * The outcome of a transfer, by the escrow's balance and the token's return value: moved; not moved; moved but reported
 * as failed; or moved a different amount.
 */
export type TransferOutcome = "moves" | "keeps" | "movesAndDenies" | "movesOtherAmount";

export type ErrorName =
  | "AgreementNotForThisDispute"
  | "AlreadyWithdrawn"
  | "CallerNotAllowed"
  | "DisputeAlreadyRaised"
  | "ExitVested"
  | "NoCredit"
  | "NothingReleased"
  | "NotFundable"
  | "OrderExists"
  | "OrderNotFound"
  | "OutOfRange"
  | "OutsideTime"
  | "ProofAlreadyValid"
  | "ProofMissing"
  | "ReleaseTypeNotAllowed"
  | "RoleNotAllowed"
  | "SignatureNotValid"
  | "StatusNotAllowed"
  | "TransferRefused";

export interface Transfer {
  to: Address;
  amount: bigint;
}

/** The events that an indexer needs, with the contract's names. */
export type Event =
  | { name: "OrderCreated"; payer: Address; deliveryDeadline: number }
  | { name: "OrderShipped"; actor: Address }
  | { name: "DeliveryProofSubmitted"; submittedBy: Address; proofHash: string; valid: boolean }
  | { name: "FundsReleased"; actor: Address; amount: bigint }
  | { name: "MilestoneReleased"; actor: Address; amount: bigint; complete: boolean }
  | { name: "OrderSettled"; amount: bigint }
  | { name: "OrderWithdrawn"; amount: bigint }
  | { name: "OrderRefunded"; actor: Address; amount: bigint }
  | { name: "DisputeRaised"; side: Side; actor: Address; disputeDeadline: number }
  | { name: "DisputeResolved"; actor: Address; payeeAmount: bigint; payerAmount: bigint }
  | { name: "DisputeExpired"; actor: Address };

export interface Applied {
  state: Order;
  transfers: Transfer[];
  credits: Transfer[];
  events: Event[];
}

export interface Refused {
  error: ErrorName;
}

export type Result = Applied | Refused;

export function refuse(error: ErrorName): Refused {
  return { error };
}

export function isRefused(result: Result): result is Refused {
  return "error" in result;
}
