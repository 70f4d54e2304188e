// raiseDispute and the three ways to end a dispute.
import { type Call, type Result, refuse } from "../calls.ts";
import {
  type Facts,
  hasIndependentOracle,
  isOpen,
  isPayeeVested,
  isPayerVested,
  type Side,
  unreleased,
} from "../order.ts";
import { type Address, isReleasedByProof, MAX_DISPUTE_WINDOW } from "../terms.ts";
import { changed, type OperationInput, refundPayer, releaseRest, smaller } from "./moves.ts";

type Raise = Extract<Call, { name: "raiseDispute" }>;
type Resolve = Extract<Call, { name: "resolveDispute" }>;
type Agree = Extract<Call, { name: "resolveDisputeByAgreement" }>;

/** Requires an open order on which neither side has a vested exit. Each side can raise one dispute. */
export function raiseDispute(facts: OperationInput, call: Raise): Result {
  const { order, terms, now, caller } = facts;
  const side = sideFor(facts, call);
  if (!side) return refuse("CallerNotAllowed");
  if (call.signers && call.expiry !== undefined && now > call.expiry) return refuse("OutsideTime");
  if (!isOpen(order)) return refuse("StatusNotAllowed");
  if (side === "payer" ? order.payerDisputed : order.merchantDisputed) return refuse("DisputeAlreadyRaised");
  if (isExitVested(facts)) return refuse("ExitVested");
  if (call.window < terms.disputeWindow || call.window > longestWindow(facts, side))
    return refuse("OutOfRange");

  const disputeDeadline = now + call.window;
  const moved = facts.withoutFix === "dispute extends the deadline" ? 0 : call.window + terms.disputeWindow;
  return changed(
    {
      ...order,
      status: "Disputed",
      statusBefore: order.status,
      disputeDeadline,
      deliveryDeadline: order.deliveryDeadline + moved,
      disputes: order.disputes + 1,
      disputeSide: side,
      payerDisputed: order.payerDisputed || side === "payer",
      merchantDisputed: order.merchantDisputed || side === "merchant",
    },
    { name: "DisputeRaised", side, actor: caller, disputeDeadline },
  );
}

/** A dispute that the operator raises counts as the merchant's unless the payer signed it. */
function sideFor({ order, terms, caller }: OperationInput, { signers }: Raise): Side | null {
  if (signers) return caller === terms.operator && signers.includes(order.payer) ? "payer" : null;
  if (caller === order.payer) return "payer";
  return caller === terms.payee || caller === terms.operator ? "merchant" : null;
}

function isExitVested(facts: Facts): boolean {
  const payer = isPayerVested(facts) && facts.withoutFix !== "F5";
  const payee = isPayeeVested(facts) && facts.withoutFix !== "payee's exit stays";
  return payer || payee;
}

/** A merchant's dispute must leave the payer the window from the terms before an active lock ends. */
function longestWindow({ terms, now, withoutFix }: Facts, side: Side): number {
  const locked = terms.releaseType === "TIME_LOCKED" && now < terms.timeLockUntil;
  if (!locked || side === "payer" || withoutFix === "merchant's dispute ends before the lock")
    return MAX_DISPUTE_WINDOW;
  return Math.min(terms.timeLockUntil - now - terms.disputeWindow, MAX_DISPUTE_WINDOW);
}

/** Caller: the arbiter, until the dispute's deadline. */
export function resolveDispute(facts: OperationInput, { payeeAmount }: Resolve): Result {
  const { order, terms, caller, now } = facts;
  if (caller !== terms.arbiter) return refuse("CallerNotAllowed");
  if (order.status !== "Disputed") return refuse("StatusNotAllowed");
  if (now > order.disputeDeadline) return refuse("OutsideTime");
  return split(facts, payeeAmount, caller);
}

/**
 * Requires both signatures, at any time while Disputed. The signatures name the dispute that they end, and they expire.
 */
export function resolveDisputeByAgreement(facts: OperationInput, call: Agree): Result {
  const { order, terms, now, caller } = facts;
  if (order.status !== "Disputed") return refuse("StatusNotAllowed");
  if (call.dispute !== order.disputes) return refuse("AgreementNotForThisDispute");
  if (now > call.expiry) return refuse("OutsideTime");
  if (!call.signers.includes(order.payer) || !call.signers.includes(terms.payee))
    return refuse("SignatureNotValid");
  return split(facts, call.payeeAmount, caller);
}

/**
 * A payeeAmount above the remainder means the full remainder. If the payee gets nothing new, the order becomes
 * Cancelled.
 */
function split(facts: OperationInput, payeeAmount: bigint, actor: Address): Result {
  const { order, terms } = facts;
  const rest = unreleased(order, terms);
  const toPayee = smaller(payeeAmount, rest);
  const status = toPayee === 0n ? "Cancelled" : "AwaitingSettlement";
  return refundPayer(facts, { ...order, released: order.released + toPayee }, status, rest - toPayee, {
    name: "DisputeResolved",
    actor,
    payeeAmount: toPayee,
    payerAmount: rest - toPayee,
  });
}

/**
 * Caller: anyone, once the window has ended. If the order is TIME_LOCKED or the merchant's side raised the dispute, the
 * order resumes. If the payer's side raised it, a proven order pays the payee, DELIVERY_PROOF and AUTO_RELEASE without
 * an independent oracle pay the payer, and every other order resumes.
 */
export function resolveExpiredDispute(facts: OperationInput): Result {
  const { order, terms, caller, now, withoutFix } = facts;
  if (order.status !== "Disputed") return refuse("StatusNotAllowed");
  if (now <= order.disputeDeadline) return refuse("OutsideTime");
  const independent = hasIndependentOracle(facts);
  const ownSidePays = withoutFix === "F1" || withoutFix === "own dispute resumes";
  const timeLocked = terms.releaseType === "TIME_LOCKED";
  if ((timeLocked || order.disputeSide === "merchant") && !(ownSidePays && order.proven)) {
    const status = independent && order.proven ? "Delivered" : order.statusBefore;
    return changed({ ...order, status }, { name: "DisputeExpired", actor: caller });
  }
  if (order.proven) return releaseRest(facts, caller);
  if (isReleasedByProof(terms) && !independent) return split(facts, 0n, caller);
  return changed({ ...order, status: order.statusBefore }, { name: "DisputeExpired", actor: caller });
}
