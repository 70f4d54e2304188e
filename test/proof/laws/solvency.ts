// Law 1. Per order, remaining, released and refunded funds add up to the funded amount. Per token, no call decreases
// the escrow's measured balance by more than its debts decrease, so a balance that covers all orders and credits keeps
// covering them.
import { invariant } from "../model/invariant.ts";
import { anyFacts, type Facts, KEEPS, MOVES, NOTHING, type Order, restOf, status } from "../model/order.ts";
import { fund, OPERATIONS, type Operation } from "../operations/any-arguments.ts";
import type { Obligation } from "../smt/obligation.ts";
import {
  and,
  type Bool,
  equals,
  type Int,
  implies,
  int,
  intVariable,
  isAtMost,
  isIn,
  isLess,
  minus,
  plus,
  TRUE,
  when,
} from "../smt/term.ts";
import { isPossible, ofEveryStep, type Part } from "./every-step.ts";

const PART = "1 solvency";

export const solvency: Part = (withoutFix) => [
  ...ofEveryStep(
    PART,
    withoutFix,
    (operation) => `${operation}: what leaves is what the order's amounts say`,
    ({ operation, before, step: { order, sent, asked } }) => {
      const { settled, withdrawn, refunded, credit } = before.order;
      const payout = plus(minus(order.settled, settled), minus(order.withdrawn, withdrawn));
      const back = minus(order.refunded, refunded);
      const added = operation === "claimCredit" ? NOTHING : minus(order.credit, credit);
      const claimed = operation === "claimCredit" ? minus(credit, order.credit) : NOTHING;
      return and(
        equals(plus(sent.amount, added), plus(payout, back, claimed)),
        isAtMost(sent.amount, asked),
        isAtMost(NOTHING, sent.amount),
        isAtMost(NOTHING, payout),
        isAtMost(NOTHING, back),
      );
    },
  ),
  ...ofEveryStep(
    PART,
    withoutFix,
    (operation) => `${operation}: an order that has ended stays ended`,
    ({ before, step: { order } }) =>
      implies(
        isIn(before.order.status, status("Cancelled"), status("Completed")),
        and(
          equals(order.status, before.order.status),
          equals(order.released, before.order.released),
          equals(order.refunded, before.order.refunded),
        ),
      ),
  ),
  ...everyOperation(withoutFix),
  ...funding(withoutFix),
];

/** Returns the escrow's debt for one order and for its payer's credits. */
export function owedOf({ amount }: Facts["terms"], order: Order): Int {
  return plus(minus(amount, order.refunded, order.settled, order.withdrawn), order.credit);
}

const MODULUS = int(1n << 256n);

/** The escrow's balances as the token reports them before and after the call: any two words. */
interface Balances {
  before: Int;
  after: Int;
}

function anyBalances(): Balances {
  return { before: intVariable("balance before"), after: intVariable("balance after") };
}

function areWords({ before, after }: Balances): Bool {
  return and(...[before, after].map((word) => and(isAtMost(NOTHING, word), isLess(word, MODULUS))));
}

/** Returns the amount that the contract measures as sent, which is the decrease of the balance. */
function measured({ before, after }: Balances): Int {
  return when(isAtMost(after, before), minus(before, after), NOTHING);
}

/**
 * Whether the outcome is the one that the contract derives from the balances. Without fix F13, the contract trusts the
 * token's return value.
 */
function isDerived({ outcome, part, withoutFix }: Facts, asked: Int, balances: Balances): Bool {
  if (withoutFix === "F13") return TRUE;
  const sent = measured(balances);
  const isCalled = isLess(NOTHING, asked);
  return and(
    implies(isCalled, iffMeasured(outcome, sent, asked)),
    implies(and(isCalled, equals(outcome, KEEPS)), equals(part, sent)),
    implies(equals(asked, NOTHING), equals(balances.after, balances.before)),
  );
}

function iffMeasured(outcome: Int, sent: Int, asked: Int): Bool {
  const other = int(2);
  return equals(outcome, when(equals(sent, asked), MOVES, when(isLess(sent, asked), KEEPS, other)));
}

/** The remaining debts of the escrow in the token, for any number of orders and accounts. */
const OTHERS = intVariable("owed to others");

function staysCovered(before: Facts, after: Order, balances: Balances): Bool {
  const covers = (balance: Int, order: Order) => isAtMost(plus(owedOf(before.terms, order), OTHERS), balance);
  return implies(covers(balances.before, before.order), covers(balances.after, after));
}

function everyOperation(withoutFix: Facts["withoutFix"]): Obligation[] {
  return (Object.keys(OPERATIONS) as Operation[]).map((operation) => {
    const before = anyFacts(withoutFix);
    const step = OPERATIONS[operation](before);
    const balances = anyBalances();
    const premise = and(
      isPossible(before),
      invariant(before),
      step.guard,
      areWords(balances),
      isDerived(before, step.asked, balances),
      // The contract's amounts are 120-bit words, so measured differences do not wrap.
      isLess(before.terms.amount, int(1n << 120n)),
      isLess(before.order.credit, MODULUS),
    );
    return {
      part: PART,
      name: `${operation}: the token's balance still covers every order and credit`,
      claim: implies(premise, staysCovered(before, step.order, balances)),
    };
  });
}

function funding(withoutFix: Facts["withoutFix"]): Obligation[] {
  const before = anyFacts(withoutFix);
  const step = fund(before);
  const balances = anyBalances();
  // The contract reverts if `holds != held + amount`, in checked arithmetic.
  const received = equals(balances.after, plus(balances.before, before.terms.amount));
  const covers = (owed: Int, balance: Int) => isAtMost(plus(owed, OTHERS), balance);
  const { credit } = before.order;
  const premise = and(isPossible(before), step.guard, areWords(balances), received);
  return [
    {
      part: PART,
      name: "createOrder: the token's balance still covers every order and credit",
      claim: implies(
        and(premise, covers(credit, balances.before)),
        covers(owedOf(before.terms, step.order), balances.after),
      ),
    },
    {
      part: PART,
      name: "createOrder: the funded amount is unreleased or released",
      claim: implies(
        premise,
        equals(plus(restOf({ ...before, order: step.order }), step.order.released), before.terms.amount),
      ),
    },
  ];
}
