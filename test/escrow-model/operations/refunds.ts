// refund and reclaim.
import { type Call, type Result, refuse } from "../calls.ts";
import { isOpen, isPayeeVested, isPayerVested, isUnreleased, unreleased } from "../order.ts";
import { type Funded, payBack } from "./moves.ts";

type Refund = Extract<Call, { name: "refund" }>;

/** payee: any unreleased state. operator: open, not proven, no vested exit of the payee. All of it: Cancelled. */
export function refund(facts: Funded, { amount }: Refund): Result {
  const { order, terms, caller } = facts;
  if (caller !== terms.payee && caller !== terms.operator) return refuse("CallerNotAllowed");
  if (!isUnreleased(order)) return refuse("StatusNotAllowed");
  if (caller !== terms.payee) {
    if (!isOpen(order)) return refuse("StatusNotAllowed");
    if (order.proven) return refuse("ProofAlreadyValid");
    if (isPayeeVested(facts)) return refuse("ExitVested");
  }
  const rest = unreleased(order, terms);
  if (amount < 1n || amount > rest) return refuse("OutOfRange");
  const event = { name: "OrderRefunded", actor: caller, amount } as const;
  return payBack(facts, order, amount === rest ? "Cancelled" : order.status, amount, event);
}

/** payer: delivery deadline passed, not proven, not a Shipped or Delivered order whose lock has expired. */
export function reclaim(facts: Funded): Result {
  const { order, terms, caller } = facts;
  if (caller !== order.payer) return refuse("CallerNotAllowed");
  if (!isOpen(order)) return refuse("StatusNotAllowed");
  if (order.proven) return refuse("ProofAlreadyValid");
  if (facts.now <= order.deliveryDeadline) return refuse("OutsideTime");
  if (!isPayerVested(facts)) return refuse("ExitVested");
  const amount = unreleased(order, terms);
  return payBack(facts, order, "Cancelled", amount, { name: "OrderRefunded", actor: caller, amount });
}
