// What a merchant can do with a payment as it is now. The API has the last word (api/escrow, api/payment-intents); what it
// would refuse anyhow is not offered.
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

/** What each requires (api/payment-intents, api/escrow). */
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

/** Where the merchant's own proof counts; elsewhere it is evidence. */
const BY_PROOF: ReadonlySet<Escrow["releaseType"]> = new Set(["DELIVERY_PROOF", "AUTO_RELEASE"]);

/** A proof of another hash than the expected one is no valid one; the oracle's word always counts. */
const isProven = (escrow: Escrow): boolean => {
  const { deliveryOracle, expectedDeliveryHash, actualDeliveryHash } = escrow;
  if (deliveryOracle !== undefined) return true;
  const isExpected = /^0x0*$/.test(expectedDeliveryHash) || actualDeliveryHash === expectedDeliveryHash;
  return BY_PROOF.has(escrow.releaseType) && isExpected;
};

/** The merchant's side raises one dispute a payment. */
const disputeOf = ({ disputeSide }: Escrow): Action[] => (disputeSide === "MERCHANT" ? [] : ["dispute"]);

/** A proof releases no milestone: each is completed by itself (milestones.tsx). */
const toProve = ({ releaseType }: Escrow): Action[] => (releaseType === "MILESTONE_LOCKED" ? [] : ["prove"]);

/** After a valid proof nothing is refunded, and only what waits for nothing else is released by hand. */
const afterDelivery = (escrow: Escrow): Action[] => {
  if (!isProven(escrow)) return ["refund", ...disputeOf(escrow)];
  return [...(escrow.releaseType === "DELIVERY_PROOF" ? (["release"] as const) : []), ...disputeOf(escrow)];
};

/** @param escrow undefined where there is none, and until it is known */
export function fittingActions(intent: Intent, escrow: Escrow | undefined): Action[] {
  const { status, settlementStatus } = intent;
  if (status === "INITIATED" || status === "REQUIRES_SIGNATURE") return ["cancel"];
  if (status === "REQUIRES_ACTION" && settlementStatus === "FAILED") return ["retry"];
  if (status !== "SUCCEEDED" || !escrow || escrow.settlementStatus === "SCHEDULED") return [];
  switch (escrow.orderStatus) {
    case "PENDING":
      return ["ship", ...toProve(escrow), "refund", ...disputeOf(escrow)];
    case "SHIPPED":
      return [...toProve(escrow), "refund", ...disputeOf(escrow)];
    case "DELIVERED":
      return afterDelivery(escrow);
    case "DISPUTED":
      return ["evidence", "resolve"];
    default:
      return [];
  }
}

/** Whether the next milestone can be completed; a payout of an earlier one that failed does not matter. */
export function canComplete({ status }: Intent, escrow: Escrow): boolean {
  const { orderStatus, settlementStatus } = escrow;
  const isConfirmed = status === "SUCCEEDED" || status === "REQUIRES_ACTION";
  const isOpen = orderStatus === "PENDING" || orderStatus === "SHIPPED" || orderStatus === "DELIVERED";
  return escrow.funded && isConfirmed && isOpen && settlementStatus !== "SCHEDULED";
}
