// A payment's merchant status, derived from the intent's status and its escrow order as the API shows them.
import type { IntentStatus } from "./intent-status.ts";
import type { ApiOrderStatus, OrderSettlementStatus } from "./order-status.ts";

export const MERCHANT_STATUSES = [
  "AWAITING_PAYMENT",
  "CONFIRMING",
  "IN_ESCROW",
  "SHIPPED",
  "DELIVERED",
  "DISPUTED",
  "RELEASED",
  "PAID_OUT",
  "FINAL",
  "REFUNDED",
  "PARTLY_REFUNDED",
  "CANCELED",
  "NEEDS_ACTION",
] as const;
export type MerchantStatus = (typeof MERCHANT_STATUSES)[number];

/** The possible merchant statuses for each intent status. */
export const MERCHANT_STATUSES_OF: Record<IntentStatus, readonly MerchantStatus[]> = {
  INITIATED: ["AWAITING_PAYMENT"],
  REQUIRES_SIGNATURE: ["AWAITING_PAYMENT"],
  PROCESSING: ["CONFIRMING"],
  SUCCEEDED: ["IN_ESCROW", "SHIPPED", "DELIVERED", "DISPUTED", "RELEASED", "CONFIRMING"],
  SETTLED: ["PAID_OUT", "PARTLY_REFUNDED"],
  FINAL: ["FINAL", "PARTLY_REFUNDED"],
  CANCELED: ["CANCELED", "REFUNDED"],
  REQUIRES_ACTION: ["NEEDS_ACTION"],
};

/** The fields of an escrow's data that determine the merchant status. Amounts are decimal strings. */
export type ShownOrder = {
  funded: boolean;
  orderStatus: ApiOrderStatus;
  settlementStatus: OrderSettlementStatus;
  releasedAmount: string;
  refundedAmount: string;
};

const isSome = (amount: string): boolean => /[1-9]/.test(amount);

function ofFundedOrder({ orderStatus, settlementStatus, releasedAmount }: ShownOrder): MerchantStatus {
  switch (orderStatus) {
    case "PENDING":
      return "IN_ESCROW";
    case "SHIPPED":
      return "SHIPPED";
    case "DELIVERED":
      return settlementStatus === "SCHEDULED" ? "RELEASED" : "DELIVERED";
    case "DISPUTED":
      return "DISPUTED";
    case "COMPLETED":
      return "RELEASED";
    case "CANCELLED":
      // A full refund is not confirmed yet, and a reorg could still remove it.
      return isSome(releasedAmount) ? "RELEASED" : "CONFIRMING";
  }
}

/** @param order null if the payment has no escrow */
export function deriveMerchantStatus(status: IntentStatus, order: ShownOrder | null): MerchantStatus {
  const funded = order?.funded ? order : null;
  const isRefunded = funded !== null && isSome(funded.refundedAmount);
  switch (status) {
    case "INITIATED":
    case "REQUIRES_SIGNATURE":
      return "AWAITING_PAYMENT";
    case "PROCESSING":
      return "CONFIRMING";
    case "REQUIRES_ACTION":
      return "NEEDS_ACTION";
    case "CANCELED":
      return isRefunded ? "REFUNDED" : "CANCELED";
    case "SUCCEEDED":
      // Without an order, the payment bypassed the escrow, or a reorg removed an order that a provider is already
      // paying out.
      return funded ? ofFundedOrder(funded) : "RELEASED";
    case "SETTLED":
    case "FINAL":
      // After a partial refund, the payment is released while the rest is in transit, and partly refunded once nothing
      // is left to pay out.
      if (isRefunded) return "PARTLY_REFUNDED";
      return status === "FINAL" ? "FINAL" : "PAID_OUT";
  }
}
