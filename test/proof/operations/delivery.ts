// markShipped and submitDeliveryProof, by a direct call or by the oracle's signature.
import {
  type Facts,
  hasIndependentOracle,
  isDisputed,
  isLate,
  isOpen,
  isReleasedByProof,
  isThirdParty,
  NOBODY,
  NOTHING,
  releasesOnProof,
  status,
} from "../model/order.ts";
import { and, type Bool, equals, type Int, isAtMost, isIn, not, or, when, whenBool } from "../smt/term.ts";
import { change, releaseRest, type Step, speaks } from "./step.ts";

interface BySignature {
  bySignature: Bool;
  oracleSigned: Bool;
}

export function markShipped(facts: Facts, { bySignature, oracleSigned }: BySignature): Step {
  const { order, terms, caller, withoutFix } = facts;
  const byMerchant = and(not(bySignature), isIn(caller, terms.payee, terms.operator));
  const byOracle = speaks(terms.deliveryOracle, caller, bySignature, oracleSigned);
  const independent = hasIndependentOracle(facts);
  const allowed = withoutFix === "F3" ? byMerchant : whenBool(independent, byOracle, byMerchant);
  const guard = and(allowed, equals(order.status, status("Created")), not(isLate(facts)));
  const step = change(facts, guard, {
    status: status("Shipped"),
    oracleSpoke: or(order.oracleSpoke, and(isThirdParty(facts), byOracle)),
  });
  return { ...step, signatures: [{ by: terms.deliveryOracle, given: and(bySignature, oracleSigned) }] };
}

export function submitDeliveryProof(
  facts: Facts,
  { proofHash, bySignature, oracleSigned }: BySignature & { proofHash: Int },
): Step {
  const { order, terms, caller, now, withoutFix } = facts;
  const byOracle = speaks(terms.deliveryOracle, caller, bySignature, oracleSigned);
  const byMerchant = and(not(bySignature), isIn(caller, terms.payee, terms.operator));
  const independent = hasIndependentOracle(facts);
  const disputed = isDisputed(order);
  const guard = and(
    whenBool(equals(terms.deliveryOracle, NOBODY), byMerchant, byOracle),
    or(isOpen(order), and(disputed, independent)),
    not(order.proven),
    // Without fix F4, an oracle's proof in a dispute has no deadline.
    whenBool(
      disputed,
      withoutFix === "F4" ? disputed : isAtMost(now, order.disputeDeadline),
      not(isLate(facts)),
    ),
  );
  const typeCounts = withoutFix === "F1" ? not(independent) : isReleasedByProof(terms);
  const hashCounts = or(equals(terms.expectedHash, NOTHING), equals(terms.expectedHash, proofHash));
  const proven = or(independent, and(typeCounts, hashCounts));
  const releases = and(proven, not(disputed), releasesOnProof(terms));
  const rest = releaseRest(facts);
  const step = change(facts, guard, {
    proven,
    status: when(disputed, order.status, when(releases, rest.status, status("Delivered"))),
    released: when(releases, rest.released, order.released),
    oracleSpoke: or(order.oracleSpoke, isThirdParty(facts)),
    partyProved: or(order.partyProved, and(not(isThirdParty(facts)), not(disputed), proven)),
  });
  return { ...step, signatures: [{ by: terms.deliveryOracle, given: and(bySignature, oracleSigned) }] };
}
