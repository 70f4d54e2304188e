// refund and reclaim.
import {
  type Facts,
  hasUnreleasedStatus,
  isLate,
  isLockOver,
  isOpen,
  restOf,
  status,
} from "../model/order.ts";
import { and, equals, type Int, int, isAtMost, not, or, when } from "../smt/term.ts";
import { refundPayer, type Step } from "./step.ts";

export function refund(facts: Facts, { amount }: { amount: Int }): Step {
  const { order, terms, caller } = facts;
  const byPayee = and(equals(caller, terms.payee), hasUnreleasedStatus(order));
  const byOperator = and(
    equals(caller, terms.operator),
    isOpen(order),
    not(order.proven),
    not(isLockOver(facts)),
  );
  const rest = restOf(facts);
  const guard = and(or(byPayee, byOperator), isAtMost(int(1), amount), isAtMost(amount, rest));
  const after = when(equals(amount, rest), status("Cancelled"), order.status);
  return refundPayer(facts, guard, { status: after }, amount);
}

export function reclaim(facts: Facts): Step {
  const { order, caller } = facts;
  const vested = and(isOpen(order), not(order.proven), isLate(facts), not(isLockOver(facts)));
  const guard = and(equals(caller, order.payer), vested);
  return refundPayer(facts, guard, { status: status("Cancelled") }, restOf(facts));
}
