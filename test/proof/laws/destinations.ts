// Law 6. Funds reach only the payer, the payee and the off-ramp. A credit is paid only to the credited address.
import { NOBODY, NOTHING } from "../model/order.ts";
import { and, equals, implies, isIn, isLess, not, or } from "../smt/term.ts";
import { grew, ofEveryStep, type Part } from "./every-step.ts";

const PART = "6 destinations";

export const destinations: Part = (withoutFix) => [
  ...ofEveryStep(
    PART,
    withoutFix,
    (operation) =>
      `${operation} sends refunds to the payer, withdrawals to the payee, settlements to the off-ramp`,
    ({ before: { order, terms, escrow }, step: { order: after, sent } }) =>
      implies(
        isLess(NOTHING, sent.amount),
        and(
          not(isIn(sent.to, NOBODY, escrow)),
          or(
            and(
              equals(sent.to, order.payer),
              or(grew(order.refunded, after.refunded), grew(after.credit, order.credit)),
            ),
            and(equals(sent.to, terms.payee), grew(order.withdrawn, after.withdrawn)),
            and(equals(sent.to, terms.offRamp), grew(order.settled, after.settled)),
          ),
        ),
      ),
  ),
  ...ofEveryStep(
    PART,
    withoutFix,
    (operation) =>
      `${operation} does not change the payer, and decreases a credit only if its owner is the caller`,
    ({ before: { order, caller }, step: { order: after } }) =>
      and(
        equals(after.payer, order.payer),
        implies(grew(after.credit, order.credit), equals(caller, order.payer)),
      ),
  ),
];
