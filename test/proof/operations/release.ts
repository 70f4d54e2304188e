// release, releaseTimeLocked and releaseMilestone.
import {
  type Facts,
  hasIndependentOracle,
  hasUnreleasedStatus,
  isLate,
  isLockOver,
  isOpen,
  isReleasedByProof,
  isType,
  NOBODY,
  status,
} from "../model/order.ts";
import {
  and,
  type Bool,
  equals,
  FALSE,
  type Int,
  int,
  isLess,
  minus,
  not,
  or,
  plus,
  smaller,
  when,
} from "../smt/term.ts";
import { change, releaseRest, type Step, speaks } from "./step.ts";

/**
 * Whether the payee may call release: as the mirror of reclaim, or after an independent oracle has proven milestones.
 */
export function payeeMayRelease(facts: Facts): Bool {
  const { order, terms, withoutFix } = facts;
  if (withoutFix === "payee releases a proven order") return FALSE;
  const granted = or(isType(terms, "MILESTONE_LOCKED"), and(isReleasedByProof(terms), isLate(facts)));
  return and(isOpen(order), order.proven, granted);
}

export function release(facts: Facts): Step {
  const { order, terms, caller } = facts;
  const byPayer = and(equals(caller, order.payer), hasUnreleasedStatus(order));
  const byOperator = and(
    equals(caller, terms.operator),
    isOpen(order),
    order.proven,
    isReleasedByProof(terms),
  );
  const byPayee = and(equals(caller, terms.payee), payeeMayRelease(facts));
  return change(facts, or(byPayer, byOperator, byPayee), releaseRest(facts));
}

export function releaseTimeLocked(facts: Facts): Step {
  return change(facts, isLockOver(facts), releaseRest(facts));
}

export interface Milestone {
  cumulative: Int;
  /** Only without fix F6: the milestone that the signature names. */
  index: Int;
  bySignature: Bool;
  oracleSigned: Bool;
}

export function releaseMilestone(facts: Facts, call: Milestone): Step {
  const { order, terms, caller } = facts;
  const { bySignature, oracleSigned } = call;
  const byPayer = and(not(bySignature), equals(caller, order.payer));
  const byOracle = and(
    hasIndependentOracle(facts),
    speaks(terms.deliveryOracle, caller, bySignature, oracleSigned),
  );
  const byOperator = and(
    not(bySignature),
    equals(caller, terms.operator),
    terms.autoReleaseOnProof,
    equals(terms.deliveryOracle, NOBODY),
  );
  const most = minus(terms.amount, order.refunded);
  const total = smaller(cumulativeOf(facts, call), most);
  const guard = and(
    isType(terms, "MILESTONE_LOCKED"),
    or(byPayer, and(or(byOracle, byOperator), not(isLate(facts)))),
    isOpen(order),
    isLess(order.released, total),
  );
  const step = change(facts, guard, {
    status: when(equals(total, most), status("AwaitingSettlement"), order.status),
    released: total,
    milestones: plus(order.milestones, int(1)),
  });
  return { ...step, signatures: [{ by: terms.deliveryOracle, given: and(bySignature, oracleSigned) }] };
}

/** Without fix F6, each release covers one milestone, and a signature for any milestone but the next is void. */
function cumulativeOf({ order, withoutFix }: Facts, { cumulative, index, bySignature }: Milestone): Int {
  if (withoutFix !== "F6") return cumulative;
  const isNext = or(not(bySignature), equals(index, order.milestones));
  return when(isNext, plus(order.released, cumulative), order.released);
}
