// Lists the actions that the merchant can take on a payment in its current state. The API makes the final decision
// (api/escrow, api/payment-intents). This module only hides actions that the API would reject.
import type { Permission } from "#core/api-keys/permissions.ts";
import type { Schemas } from "#sdk/index.ts";

export type Action =
  | "cancel"
  | "ship"
  | "prove"
  | "release"
  | "refund"
  | "dispute"
  | "evidence"
  | "resolve"
  | "retry";

/** The permission that each action requires (api/payment-intents, api/escrow). */
export const ACTION_PERMISSIONS: Record<Action, Permission> = {
  cancel: "write",
  evidence: "write",
  ship: "release",
  prove: "release",
  release: "release",
  refund: "release",
  dispute: "release",
  resolve: "release",
  retry: "release",
};

type Intent = Pick<Schemas["PaymentIntent"], "status" | "settlementStatus">;
type Escrow = Pick<
  Schemas["ConditionalPayment"]["data"],
  | "funded"
  | "orderStatus"
  | "settlementStatus"
  | "releaseType"
  | "deliveryOracle"
  | "expectedDeliveryHash"
  | "actualDeliveryHash"
  | "disputeSide"
>;

/** Release types for which the merchant's own proof counts. For the other types, it is only evidence. */
const RELEASED_BY_OWN_PROOF: ReadonlySet<Escrow["releaseType"]> = new Set(["DELIVERY_PROOF", "AUTO_RELEASE"]);

/** A proof is invalid if its hash differs from the expected hash. An oracle's proof is always valid. */
const isProven = (escrow: Escrow): boolean => {
  const { deliveryOracle, expectedDeliveryHash, actualDeliveryHash } = escrow;
  if (deliveryOracle !== undefined) return true;
  const isExpected = /^0x0*$/.test(expectedDeliveryHash) || actualDeliveryHash === expectedDeliveryHash;
  return RELEASED_BY_OWN_PROOF.has(escrow.releaseType) && isExpected;
};

/** The merchant's side can raise only one dispute per payment. */
const disputeActions = ({ disputeSide }: Escrow): Action[] => (disputeSide === "MERCHANT" ? [] : ["dispute"]);

/** A proof does not release milestones. Each milestone is completed individually (milestones.tsx). */
const proveActions = ({ releaseType }: Escrow): Action[] =>
  releaseType === "MILESTONE_LOCKED" ? [] : ["prove"];

/**
 * After a valid proof, refunds are not possible. The merchant can then release the order only if its release requires
 * nothing but the proof.
 */
const actionsAfterDelivery = (escrow: Escrow): Action[] => {
  if (!isProven(escrow)) return ["refund", ...disputeActions(escrow)];
  return [
    ...(escrow.releaseType === "DELIVERY_PROOF" ? (["release"] as const) : []),
    ...disputeActions(escrow),
  ];
};

/** @param escrow undefined if there is none, or while it is loading */
export function availableActions(intent: Intent, escrow: Escrow | undefined): Action[] {
  const { status, settlementStatus } = intent;
  if (status === "INITIATED" || status === "REQUIRES_SIGNATURE") return ["cancel"];
  if (status === "REQUIRES_ACTION" && settlementStatus === "FAILED") return ["retry"];
  if (status !== "SUCCEEDED" || !escrow || escrow.settlementStatus === "SCHEDULED") return [];
  switch (escrow.orderStatus) {
    case "PENDING":
      return ["ship", ...proveActions(escrow), "refund", ...disputeActions(escrow)];
    case "SHIPPED":
      return [...proveActions(escrow), "refund", ...disputeActions(escrow)];
    case "DELIVERED":
      return actionsAfterDelivery(escrow);
    case "DISPUTED":
      return ["evidence", "resolve"];
    default:
      return [];
  }
}

/** Whether the next milestone can be completed. A failed payout of an earlier milestone does not prevent completion. */
export function canComplete({ status }: Intent, escrow: Escrow): boolean {
  const { orderStatus, settlementStatus } = escrow;
  const isConfirmed = status === "SUCCEEDED" || status === "REQUIRES_ACTION";
  const isOpen = orderStatus === "PENDING" || orderStatus === "SHIPPED" || orderStatus === "DELIVERED";
  return escrow.funded && isConfirmed && isOpen && settlementStatus !== "SCHEDULED";
}
