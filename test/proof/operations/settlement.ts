// How funds leave the escrow: settle to the off-ramp, withdraw to the payee, and claimCredit to the credited account.
import { dueOf, type Facts, NOTHING, type Order, status } from "../model/order.ts";
import { and, equals, type Int, isLess, plus, when } from "../smt/term.ts";
import { type Step, send } from "./step.ts";

export function settle(facts: Facts): Step {
  const { order, terms, caller } = facts;
  const due = dueOf(order);
  // The contract sets this flag on any withdrawal.
  const guard = and(equals(caller, terms.operator), equals(order.withdrawn, NOTHING), isLess(NOTHING, due));
  const changes = { status: afterPayout(order), settled: plus(order.settled, due) };
  return send(facts, guard, changes, terms.offRamp, due);
}

export function withdraw(facts: Facts): Step {
  const { order, terms, caller } = facts;
  const due = dueOf(order);
  const guard = and(equals(caller, terms.payee), isLess(NOTHING, due));
  const changes = { status: afterPayout(order), withdrawn: plus(order.withdrawn, due) };
  return send(facts, guard, changes, terms.payee, due);
}

/** @param receiver used only without fix F8 */
export function claimCredit(facts: Facts, { receiver }: { receiver: Int }): Step {
  const { order, caller, withoutFix } = facts;
  const guard = and(equals(caller, order.payer), isLess(NOTHING, order.credit));
  const to = withoutFix === "F8" ? receiver : order.payer;
  return send(facts, guard, { credit: NOTHING }, to, order.credit);
}

function afterPayout({ status: at }: Order): Int {
  return when(equals(at, status("AwaitingSettlement")), status("Completed"), at);
}
