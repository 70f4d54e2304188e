// The invariant of every funded order, proven by induction: a created order satisfies the invariant, and every call
// preserves it.
import { MIN_DISPUTE_WINDOW } from "../../escrow-model/terms.ts";
import {
  and,
  type Bool,
  equals,
  iff,
  implies,
  int,
  isAtMost,
  isIn,
  isLess,
  not,
  or,
  plus,
  when,
} from "../smt/term.ts";
import {
  dueOf,
  type Facts,
  hasUnreleasedStatus,
  isDisputed,
  isOpen,
  isReleasedByProof,
  isShipped,
  isThirdParty,
  isType,
  NOBODY,
  NOTHING,
  releaseType,
  restOf,
  status,
} from "./order.ts";

export function invariant(facts: Facts): Bool {
  return and(...Object.values(invariants(facts)));
}

/** The parts of the invariant, each with a description. */
export function invariants(facts: Facts): Record<string, Bool> {
  return { ...ofTerms(facts), ...ofAmounts(facts), ...ofDisputes(facts), ...ofStatements(facts) };
}

/** Invariants of a funded order's terms, which never change. */
function ofTerms({ order, terms, escrow }: Facts): Record<string, Bool> {
  const { arbiter, payee, operator, offRamp } = terms;
  return {
    "the payer is somebody, and the named one": and(
      not(equals(order.payer, NOBODY)),
      isIn(terms.namedPayer, NOBODY, order.payer),
    ),
    "payee and off-ramp are neither nobody nor the escrow": not(
      or(isIn(payee, NOBODY, escrow), isIn(offRamp, NOBODY, escrow)),
    ),
    "the arbiter is no party": not(isIn(arbiter, NOBODY, payee, order.payer, operator, offRamp)),
    "there is an amount": isLess(NOTHING, terms.amount),
    "the release type is one of five": and(
      isAtMost(releaseType("DELIVERY_PROOF"), terms.releaseType),
      isAtMost(terms.releaseType, releaseType("IMMEDIATE")),
    ),
    "a dispute's window has a length": isAtMost(int(MIN_DISPUTE_WINDOW), terms.disputeWindow),
    "a lock ends by the delivery deadline": implies(
      isType(terms, "TIME_LOCKED"),
      isAtMost(terms.timeLockUntil, order.deliveryDeadline),
    ),
  };
}

function ofAmounts(facts: Facts): Record<string, Bool> {
  const { order, terms } = facts;
  const rest = restOf(facts);
  const due = dueOf(order);
  const { released, refunded, settled, withdrawn, credit } = order;
  return {
    "the status is one of seven": and(
      isAtMost(status("Created"), order.status),
      isAtMost(order.status, status("Disputed")),
    ),
    "no amount is negative": and(
      ...[released, refunded, settled, withdrawn, credit].map((amount) => isAtMost(NOTHING, amount)),
    ),
    "an order is unreleased as long as something is left": and(
      isAtMost(NOTHING, rest),
      iff(hasUnreleasedStatus(order), isLess(NOTHING, rest)),
    ),
    "no more leaves than was released": isAtMost(NOTHING, due),
    "something is due while settlement is awaited, and nothing once it is completed": and(
      implies(equals(order.status, status("AwaitingSettlement")), isLess(NOTHING, due)),
      implies(equals(order.status, status("Completed")), equals(due, NOTHING)),
    ),
    "an IMMEDIATE order is released": implies(isType(terms, "IMMEDIATE"), not(hasUnreleasedStatus(order))),
  };
}

function ofDisputes({ order }: Facts): Record<string, Bool> {
  const { payerDisputed, merchantDisputed, merchantLatest, disputes, payersDispute, merchantsDispute } =
    order;
  const one = int(1);
  const count = (flag: Bool) => when(flag, one, NOTHING);
  return {
    "a dispute ends by the delivery deadline": implies(
      isDisputed(order),
      isAtMost(order.disputeDeadline, order.deliveryDeadline),
    ),
    "a dispute is somebody's, of an order that was open": implies(
      isDisputed(order),
      and(
        or(and(merchantLatest, merchantDisputed), and(not(merchantLatest), payerDisputed)),
        isAtMost(status("Created"), order.statusBefore),
        isAtMost(order.statusBefore, status("Delivered")),
      ),
    ),
    "each side has raised one dispute at most": and(
      equals(disputes, plus(count(payerDisputed), count(merchantDisputed))),
      iff(payerDisputed, isLess(NOTHING, payersDispute)),
      iff(merchantDisputed, isLess(NOTHING, merchantsDispute)),
      isAtMost(payersDispute, disputes),
      isAtMost(merchantsDispute, disputes),
      isAtMost(NOTHING, payersDispute),
      isAtMost(NOTHING, merchantsDispute),
    ),
    "the latest dispute is the one that its side's number names": implies(
      isDisputed(order),
      equals(when(merchantLatest, merchantsDispute, payersDispute), disputes),
    ),
  };
}

/** Invariants about the statements on which an order's state is based. */
function ofStatements(facts: Facts): Record<string, Bool> {
  const { order, terms } = facts;
  const thirdParty = isThirdParty(facts);
  const shipped = or(isShipped(order.status), and(isDisputed(order), isShipped(order.statusBefore)));
  return {
    "an open order that is proven is Delivered": implies(
      and(isOpen(order), order.proven),
      equals(order.status, status("Delivered")),
    ),
    "an independent oracle has spoken only where there is one": implies(order.oracleSpoke, thirdParty),
    "with an independent oracle nobody else ships or proves": implies(
      and(thirdParty, or(shipped, order.proven)),
      order.oracleSpoke,
    ),
    "without an independent oracle a proof counts on DELIVERY_PROOF and AUTO_RELEASE alone": implies(
      and(not(thirdParty), order.proven),
      and(isReleasedByProof(terms), order.partyProved),
    ),
  };
}
