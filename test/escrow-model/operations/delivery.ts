// markShipped and submitDeliveryProof.
import { type Call, type Result, refuse } from "../calls.ts";
import { hasIndependentOracle, isOpen } from "../order.ts";
import { isReleasedByProof, releasesOnProof, ZERO } from "../terms.ts";
import { changed, type OperationInput, releaseRest, speaks } from "./moves.ts";

type Ship = Extract<Call, { name: "markShipped" }>;
type Prove = Extract<Call, { name: "submitDeliveryProof" }>;

/**
 * Caller: payee or operator; with an independent oracle, the oracle or its signature. Requires Created, until the
 * delivery deadline.
 */
export function markShipped(facts: OperationInput, call: Ship): Result {
  const { order, terms, caller, now, withoutFix } = facts;
  const byMerchant = !call.signers && (caller === terms.payee || caller === terms.operator);
  const byOracle = speaks(terms.deliveryOracle, caller, call.signers);
  if (!(hasIndependentOracle(facts) && withoutFix !== "F3" ? byOracle : byMerchant))
    return refuse("CallerNotAllowed");
  if (order.status !== "Created") return refuse("StatusNotAllowed");
  if (now > order.deliveryDeadline) return refuse("OutsideTime");
  return changed({ ...order, status: "Shipped" }, { name: "OrderShipped", actor: caller });
}

/**
 * Caller: the oracle (or its signature) if one is set, otherwise the payee or the operator. The order must be open and
 * not proven, until the delivery deadline. If it is Disputed, only the independent oracle is allowed, until the
 * dispute's deadline.
 */
export function submitDeliveryProof(facts: OperationInput, call: Prove): Result {
  const { order, terms, caller, now, withoutFix } = facts;
  const allowed =
    terms.deliveryOracle === ZERO
      ? !call.signers && (caller === terms.payee || caller === terms.operator)
      : speaks(terms.deliveryOracle, caller, call.signers);
  if (!allowed) return refuse("CallerNotAllowed");
  const disputed = order.status === "Disputed";
  if (!isOpen(order) && !(disputed && hasIndependentOracle(facts))) return refuse("StatusNotAllowed");
  if (order.proven) return refuse("ProofAlreadyValid");
  const deadline = disputed ? order.disputeDeadline : order.deliveryDeadline;
  if (now > deadline && !(disputed && withoutFix === "F4")) return refuse("OutsideTime");

  const proven = isProvenBy(facts, call.proofHash);
  const submitted = {
    name: "DeliveryProofSubmitted",
    submittedBy: terms.deliveryOracle === ZERO ? caller : terms.deliveryOracle,
    proofHash: call.proofHash,
    valid: proven,
  } as const;
  if (disputed) return changed({ ...order, proven }, submitted);
  const delivered = { ...order, status: "Delivered", proven } as const;
  if (!proven || !releasesOnProof(terms)) return changed(delivered, submitted);
  const applied = releaseRest({ ...facts, order: delivered }, caller);
  return { ...applied, events: [submitted, ...applied.events] };
}

/**
 * A proof by an independent oracle is valid. On DELIVERY_PROOF and AUTO_RELEASE, a valid proof hash is enough. Every
 * other proof is only evidence.
 */
function isProvenBy(facts: OperationInput, proofHash: string): boolean {
  if (hasIndependentOracle(facts)) return true;
  if (!isReleasedByProof(facts.terms) && facts.withoutFix !== "F1") return false;
  const expected = facts.terms.expectedDeliveryHash;
  return expected === null || expected === proofHash;
}
