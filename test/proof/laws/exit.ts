// Law 2. The payer, alone and with time, can end an order whose remainder is neither vested nor proven, unless the
// order is time-locked and shipped. The ranking function, deliveryDeadline plus the windows of the remaining disputes,
// is fixed at funding, and no call increases it. Once it has passed, at most two calls by the payer end the order in
// any state.
import { invariant } from "../model/invariant.ts";
import {
  anyFacts,
  dueOf,
  type Facts,
  hasUnreleasedStatus,
  isDisputed,
  isLockOver,
  isShipped,
  isType,
  KEEPS,
  LONGEST_WINDOW,
  MOVES,
  NOTHING,
  restOf,
} from "../model/order.ts";
import { fund } from "../operations/any-arguments.ts";
import { payeeMayRelease } from "../operations/release.ts";
import { claimCredit, withdraw } from "../operations/settlement.ts";
import {
  and,
  type Bool,
  equals,
  type Int,
  implies,
  intVariable,
  isAtMost,
  isIn,
  isLess,
  not,
  or,
  plus,
  when,
} from "../smt/term.ts";
import { isPossible, ofEveryStep, type Part } from "./every-step.ts";
import { takeableByPayee, takeableByPayer } from "./takeable.ts";

const PART = "2 exit";

/** Returns the latest time until which the others' actions can make the payer wait. */
function latestExit({ order, terms }: Facts): Int {
  const windowLeft = (used: Bool) => when(used, NOTHING, plus(LONGEST_WINDOW, terms.disputeWindow));
  return plus(order.deliveryDeadline, windowLeft(order.payerDisputed), windowLeft(order.merchantDisputed));
}

/** Whether law 2 guarantees the remainder to the payer. */
function isOwedToPayer(facts: Facts): Bool {
  const { order, terms } = facts;
  const shipped = or(isShipped(order.status), and(isDisputed(order), isShipped(order.statusBefore)));
  const vested = or(isLockOver(facts), payeeMayRelease(facts));
  return and(not(order.proven), not(vested), not(and(isType(terms, "TIME_LOCKED"), shipped)));
}

export const exit: Part = (withoutFix) => {
  const facts = anyFacts(withoutFix);
  const { order, terms } = facts;
  const later = { ...facts, now: intVariable("later") };
  const premise = and(isPossible(facts), invariant(facts), isAtMost(facts.now, later.now));
  // A token that moves a different amount than requested can block its orders, including exits.
  const tokenAnswers = isIn(facts.outcome, MOVES, KEEPS);
  const rest = restOf(facts);
  const created = fund(facts);
  const lock = when(isType(terms, "TIME_LOCKED"), terms.timeLockUntil, NOTHING);
  return [
    {
      part: PART,
      name: "after the delivery deadline and its disputes the payer takes the rest by two calls at most",
      claim: implies(
        and(
          premise,
          hasUnreleasedStatus(order),
          isOwedToPayer(facts),
          tokenAnswers,
          isLess(order.deliveryDeadline, later.now),
        ),
        equals(takeableByPayer(later), rest),
      ),
    },
    {
      part: PART,
      name: "that moment is known at funding",
      claim: implies(
        created.guard,
        equals(
          latestExit({ ...facts, order: created.order }),
          plus(
            ...[facts.now, terms.deliveryPeriod, LONGEST_WINDOW, LONGEST_WINDOW],
            ...[terms.disputeWindow, terms.disputeWindow],
          ),
        ),
      ),
    },
    ...ofEveryStep(
      PART,
      withoutFix,
      (operation) => `${operation} does not postpone it`,
      ({ before, step }) => isAtMost(latestExit({ ...before, order: step.order }), latestExit(before)),
    ),
    {
      part: PART,
      name: "the payee takes a proven rest by two calls at most, once deadline and lock are over",
      claim: implies(
        and(
          premise,
          hasUnreleasedStatus(order),
          order.proven,
          isLess(order.deliveryDeadline, later.now),
          isAtMost(lock, later.now),
        ),
        equals(takeableByPayee(later), rest),
      ),
    },
    {
      part: PART,
      name: "the payee withdraws what is released, in every state",
      claim: implies(
        and(premise, isLess(NOTHING, dueOf(order)), equals(facts.outcome, MOVES)),
        withdraw({ ...later, caller: terms.payee }).guard,
      ),
    },
    {
      part: PART,
      name: "the payer claims a credit, in every state",
      claim: implies(
        and(premise, isLess(NOTHING, order.credit), equals(facts.outcome, MOVES)),
        claimCredit({ ...later, caller: order.payer }, { receiver: order.payer }).guard,
      ),
    },
  ];
};
