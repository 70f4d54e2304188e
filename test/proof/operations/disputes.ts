// raiseDispute and the three ways to end a dispute.
import {
  type Facts,
  hasIndependentOracle,
  isDisputed,
  isLate,
  isLockOver,
  isOpen,
  isReleasedByProof,
  isType,
  LONGEST_WINDOW,
  NOTHING,
  restOf,
  status,
} from "../model/order.ts";
import {
  and,
  type Bool,
  equals,
  FALSE,
  type Int,
  iff,
  int,
  isAtMost,
  isIn,
  isLess,
  minus,
  not,
  or,
  plus,
  smaller,
  TRUE,
  when,
  whenBool,
} from "../smt/term.ts";
import { payeeMayRelease } from "./release.ts";
import { change, refundPayer, releaseRest, type Step } from "./step.ts";

interface Raise {
  window: Int;
  bySignature: Bool;
  payerSigned: Bool;
  expiry: Int;
}

export function raiseDispute(facts: Facts, { window, bySignature, payerSigned, expiry }: Raise): Step {
  const { order, terms, now, caller, withoutFix } = facts;
  const signed = and(equals(caller, terms.operator), payerSigned, isAtMost(now, expiry));
  const byPayer = whenBool(bySignature, signed, equals(caller, order.payer));
  const byMerchant = and(not(bySignature), not(byPayer), isIn(caller, terms.payee, terms.operator));
  const unused = whenBool(byPayer, not(order.payerDisputed), not(order.merchantDisputed));
  const inRange = and(
    isAtMost(terms.disputeWindow, window),
    withoutFix === "windows are bounded" ? TRUE : isAtMost(window, LONGEST_WINDOW),
    or(byPayer, endsBeforeLock(facts, window)),
  );
  const guard = and(or(byPayer, byMerchant), isOpen(order), unused, not(isExitVested(facts)), inRange);
  const disputes = plus(order.disputes, int(1));
  const moved = withoutFix === "dispute extends the deadline" ? NOTHING : plus(window, terms.disputeWindow);
  const step = change(facts, guard, {
    status: status("Disputed"),
    statusBefore: order.status,
    disputeDeadline: plus(now, window),
    deliveryDeadline: plus(order.deliveryDeadline, moved),
    payerDisputed: or(order.payerDisputed, byPayer),
    merchantDisputed: or(order.merchantDisputed, not(byPayer)),
    merchantLatest: not(byPayer),
    disputes,
    payersDispute: when(byPayer, disputes, order.payersDispute),
    merchantsDispute: when(byPayer, order.merchantsDispute, disputes),
  });
  return { ...step, signatures: [{ by: order.payer, given: and(bySignature, payerSigned) }] };
}

/** Whether a party can take the remainder alone, by reclaim, by releaseTimeLocked, or by the payee's release. */
function isExitVested(facts: Facts): Bool {
  const { order, withoutFix } = facts;
  const payees = or(isLockOver(facts), payeeMayRelease(facts));
  const payers = and(not(order.proven), isLate(facts), not(isLockOver(facts)));
  return or(withoutFix === "payee's exit stays" ? FALSE : payees, withoutFix === "F5" ? FALSE : payers);
}

/** A merchant's dispute must end at least the terms' dispute window before an active lock ends. */
function endsBeforeLock({ terms, now, withoutFix }: Facts, window: Int): Bool {
  const locked = and(isType(terms, "TIME_LOCKED"), isLess(now, terms.timeLockUntil));
  if (withoutFix === "merchant's dispute ends before the lock") return TRUE;
  return or(not(locked), isAtMost(plus(window, terms.disputeWindow), minus(terms.timeLockUntil, now)));
}

export function resolveDispute(facts: Facts, { payeeAmount }: { payeeAmount: Int }): Step {
  const { order, terms, caller, now } = facts;
  const inTime = isAtMost(now, order.disputeDeadline);
  return split(facts, and(equals(caller, terms.arbiter), isDisputed(order), inTime), payeeAmount);
}

export interface Agreement {
  payeeAmount: Int;
  /** Whether the agreement names the merchant's dispute rather than the payer's. */
  merchants: Bool;
  expiry: Int;
  payerSigned: Bool;
  payeeSigned: Bool;
}

export function resolveDisputeByAgreement(facts: Facts, call: Agreement): Step {
  const { order, terms, now, withoutFix } = facts;
  const namesIt = withoutFix === "F11" ? TRUE : iff(call.merchants, order.merchantLatest);
  const guard = and(
    isDisputed(order),
    namesIt,
    isAtMost(now, call.expiry),
    call.payerSigned,
    call.payeeSigned,
  );
  return {
    ...split(facts, guard, call.payeeAmount),
    signatures: [
      { by: order.payer, given: call.payerSigned },
      { by: terms.payee, given: call.payeeSigned },
    ],
  };
}

/**
 * An amount above the remainder means the full remainder. If the payee gets nothing new, the order becomes Cancelled.
 */
function split(facts: Facts, guard: Bool, payeeAmount: Int): Step {
  const rest = restOf(facts);
  const toPayee = smaller(payeeAmount, rest);
  const after = when(equals(toPayee, NOTHING), status("Cancelled"), status("AwaitingSettlement"));
  const changes = { status: after, released: plus(facts.order.released, toPayee) };
  return refundPayer(facts, and(guard, isAtMost(NOTHING, payeeAmount)), changes, minus(rest, toPayee));
}

export function resolveExpiredDispute(facts: Facts): Step {
  const { order, terms, now, withoutFix } = facts;
  const guard = and(isDisputed(order), isLess(order.disputeDeadline, now));
  const ownSidePays = withoutFix === "F1" || withoutFix === "own dispute resumes";
  const own = or(isType(terms, "TIME_LOCKED"), order.merchantLatest);
  const undecided = and(not(order.proven), or(not(isReleasedByProof(terms)), hasIndependentOracle(facts)));
  const resumes = or(ownSidePays ? and(own, not(order.proven)) : own, undecided);
  const payee = and(not(resumes), order.proven);
  const payer = and(not(resumes), not(order.proven));
  const released = releaseRest(facts);
  const resumed = when(order.proven, status("Delivered"), order.statusBefore);
  const changes = {
    status: when(payee, released.status, when(payer, status("Cancelled"), resumed)),
    released: when(payee, released.released, order.released),
  };
  return refundPayer(facts, guard, changes, when(payer, restOf(facts), NOTHING));
}
