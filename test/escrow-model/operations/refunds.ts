// Models the contract's refund and reclaim.
import { type Call, type Result, refuse } from "../calls.ts";
import { hasUnreleasedStatus, isOpen, isPayeeVested, isPayerVested, unreleased } from "../order.ts";
import { type OperationInput, refundPayer } from "./moves.ts";

type Refund = Extract<Call, { name: "refund" }>;

/**
 * The payee may refund any order that is open or disputed. The operator may refund only an open, unproven order on
 * which the payee has no vested exit. Refunding the full remainder makes the order Cancelled.
 */
export function refund(facts: OperationInput, { amount }: Refund): Result {
  const { order, terms, caller } = facts;
  if (caller !== terms.payee && caller !== terms.operator) return refuse("CallerNotAllowed");
  if (!hasUnreleasedStatus(order)) return refuse("StatusNotAllowed");
  if (caller !== terms.payee) {
    if (!isOpen(order)) return refuse("StatusNotAllowed");
    if (order.proven) return refuse("ProofAlreadyValid");
    if (isPayeeVested(facts)) return refuse("ExitVested");
  }
  const remainder = unreleased(order, terms);
  if (amount < 1n || amount > remainder) return refuse("OutOfRange");
  const event = { name: "OrderRefunded", actor: caller, amount } as const;
  return refundPayer(facts, order, amount === remainder ? "Cancelled" : order.status, amount, event);
}

/**
 * The payer may reclaim the remainder of an open, unproven order after the delivery deadline, unless it is Shipped or
 * Delivered and its lock has expired.
 */
export function reclaim(facts: OperationInput): Result {
  const { order, terms, caller } = facts;
  if (caller !== order.payer) return refuse("CallerNotAllowed");
  if (!isOpen(order)) return refuse("StatusNotAllowed");
  if (order.proven) return refuse("ProofAlreadyValid");
  if (facts.now <= order.deliveryDeadline) return refuse("OutsideTime");
  if (!isPayerVested(facts)) return refuse("ExitVested");
  const amount = unreleased(order, terms);
  return refundPayer(facts, order, "Cancelled", amount, { name: "OrderRefunded", actor: caller, amount });
}
