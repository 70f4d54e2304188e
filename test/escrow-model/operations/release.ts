// release, releaseTimeLocked and releaseMilestone.
import { type Call, type Result, refuse } from "../calls.ts";
import { hasIndependentOracle, hasUnreleasedStatus, isLockOver, isOpen, payeeMayRelease } from "../order.ts";
import { isReleasedByProof, ZERO } from "../terms.ts";
import { changed, type OperationInput, releaseRest, smaller, speaks } from "./moves.ts";

type Milestone = Extract<Call, { name: "releaseMilestone" }>;

/**
 * Payer: in any unreleased state. Operator: a proven order on DELIVERY_PROOF or AUTO_RELEASE. Payee: a MILESTONE_LOCKED
 * order proven by an independent oracle, or a proven DELIVERY_PROOF or AUTO_RELEASE order after the delivery deadline.
 */
export function release(facts: OperationInput): Result {
  const { order, terms, caller } = facts;
  if (caller === order.payer && hasUnreleasedStatus(order)) return releaseRest(facts, caller);
  if (caller === terms.operator && isReleasedByProof(terms) && isOpen(order) && order.proven)
    return releaseRest(facts, caller);
  if (caller === terms.payee && payeeMayRelease(facts)) return releaseRest(facts, caller);

  if (caller !== order.payer && caller !== terms.operator && caller !== terms.payee)
    return refuse("CallerNotAllowed");
  if (!hasUnreleasedStatus(order) || (caller !== order.payer && !isOpen(order)))
    return refuse("StatusNotAllowed");
  if (!order.proven) return refuse("ProofMissing");
  if (caller !== terms.payee && !isReleasedByProof(terms)) return refuse("CallerNotAllowed");
  return refuse(isReleasedByProof(terms) ? "OutsideTime" : "ReleaseTypeNotAllowed");
}

/** Caller: anyone. Requires a TIME_LOCKED order that is Shipped or Delivered and whose lock has expired. */
export function releaseTimeLocked(facts: OperationInput): Result {
  const { order, terms, caller } = facts;
  if (isLockOver(facts)) return releaseRest(facts, caller);
  if (terms.releaseType !== "TIME_LOCKED") return refuse("ReleaseTypeNotAllowed");
  return refuse(
    order.status === "Shipped" || order.status === "Delivered" ? "OutsideTime" : "StatusNotAllowed",
  );
}

/**
 * Requires an open MILESTONE_LOCKED order. The payer may call at any time. Until the delivery deadline, the independent
 * oracle (or its signature over the cumulative amount) is also allowed, and so is the operator with autoReleaseOnProof
 * and no oracle.
 */
export function releaseMilestone(facts: OperationInput, call: Milestone): Result {
  const { order, terms, caller, now } = facts;
  const byPayer = !call.signers && caller === order.payer;
  const byOracle = hasIndependentOracle(facts) && speaks(terms.deliveryOracle, caller, call.signers);
  const byOperator =
    !call.signers && caller === terms.operator && terms.autoReleaseOnProof && terms.deliveryOracle === ZERO;
  if (terms.releaseType !== "MILESTONE_LOCKED") return refuse("ReleaseTypeNotAllowed");
  if (!byPayer && !byOracle && !byOperator) return refuse("CallerNotAllowed");
  if (!isOpen(order)) return refuse("StatusNotAllowed");
  if (!byPayer && now > order.deliveryDeadline) return refuse("OutsideTime");

  const most = terms.amount - order.refunded;
  const cumulative = facts.withoutFix === "F6" ? amountsByIndex(facts, call) : call.cumulative;
  const part = smaller(cumulative, most) - order.released;
  if (part <= 0n) return refuse("OutOfRange");
  const released = order.released + part;
  const complete = released === most;
  return changed(
    {
      ...order,
      status: complete ? "AwaitingSettlement" : order.status,
      released,
      milestones: order.milestones + 1,
    },
    { name: "MilestoneReleased", actor: caller, amount: part, complete },
  );
}

/** Without fix F6, each release covers one milestone, and a signature for any milestone but the next is void. */
function amountsByIndex({ order }: OperationInput, call: Milestone): bigint {
  const isNext = call.index === undefined || call.index === order.milestones;
  return isNext ? order.released + call.cumulative : 0n;
}
