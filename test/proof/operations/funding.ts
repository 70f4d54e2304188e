// createOrder, including its variants in which the operator submits the payer's signature.
import { MAX_DELIVERY_PERIOD, MIN_DISPUTE_WINDOW } from "../../escrow-model/terms.ts";
import { type Facts, isType, LONGEST_WINDOW, NOBODY, NOTHING, status } from "../model/order.ts";
import {
  and,
  type Bool,
  equals,
  FALSE,
  type Int,
  int,
  isAtMost,
  isIn,
  isLess,
  not,
  or,
  plus,
  when,
  whenBool,
} from "../smt/term.ts";
import { change, type Step } from "./step.ts";

interface Arguments {
  payer: Int;
  bySignature: Bool;
  payerSigned: Bool;
  /** Whether the token is listed and transferred exactly the amount. */
  fundable: Bool;
}

export function createOrder(facts: Facts, { payer, bySignature, payerSigned, fundable }: Arguments): Step {
  const { terms, now, caller, withoutFix } = facts;
  const allowed = whenBool(
    bySignature,
    and(equals(caller, terms.operator), payerSigned),
    equals(caller, payer),
  );
  const named = withoutFix === "F7" ? allowed : isIn(terms.namedPayer, NOBODY, payer);
  const inTime = isAtMost(now, terms.fundingDeadline);
  const guard = and(allowed, named, fundable, inTime, hasSoundRoles(facts, payer), hasSoundNumbers(facts));
  const immediate = isType(terms, "IMMEDIATE");
  const step = change(facts, guard, {
    payer,
    status: when(immediate, status("AwaitingSettlement"), status("Created")),
    deliveryDeadline: plus(now, terms.deliveryPeriod),
    disputeDeadline: NOTHING,
    statusBefore: status("Created"),
    released: when(immediate, terms.amount, NOTHING),
    refunded: NOTHING,
    settled: NOTHING,
    withdrawn: NOTHING,
    milestones: NOTHING,
    disputes: NOTHING,
    payersDispute: NOTHING,
    merchantsDispute: NOTHING,
    payerDisputed: FALSE,
    merchantDisputed: FALSE,
    merchantLatest: FALSE,
    proven: FALSE,
    oracleSpoke: FALSE,
    partyProved: FALSE,
  });
  return { ...step, signatures: [{ by: payer, given: and(bySignature, payerSigned) }] };
}

/** No party arbitrates its own dispute, and nothing is sent to the zero address or the escrow. */
function hasSoundRoles({ terms, escrow, withoutFix }: Facts, payer: Int): Bool {
  const { arbiter, payee, operator, offRamp } = terms;
  const parties = [NOBODY, payee, payer, offRamp];
  const isParty = isIn(
    arbiter,
    ...parties,
    ...(withoutFix === "operator is not the arbiter" ? [] : [operator]),
  );
  return not(or(equals(payer, NOBODY), isIn(payee, NOBODY, escrow), isIn(offRamp, NOBODY, escrow), isParty));
}

function hasSoundNumbers({ terms, now }: Facts): Bool {
  const { amount, deliveryPeriod, disputeWindow, timeLockUntil, releaseType } = terms;
  const one = int(1);
  // With a later lock, both sides could take the funds. A lock in the past has already expired.
  const soundLock = and(isAtMost(one, timeLockUntil), isAtMost(timeLockUntil, plus(now, deliveryPeriod)));
  return and(
    and(isAtMost(one, amount), isLess(amount, int(1n << 120n))),
    and(isAtMost(one, deliveryPeriod), isAtMost(deliveryPeriod, int(MAX_DELIVERY_PERIOD))),
    and(isAtMost(int(MIN_DISPUTE_WINDOW), disputeWindow), isAtMost(disputeWindow, LONGEST_WINDOW)),
    and(isAtMost(NOTHING, releaseType), isLess(releaseType, int(5))),
    whenBool(isType(terms, "TIME_LOCKED"), soundLock, equals(timeLockUntil, NOTHING)),
  );
}
