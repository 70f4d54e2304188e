// A payment's status in the merchant's words: what an intent's status and its order on chain say together.
import { ORDER_STATUSES } from "../chain/terms.ts";
import type { IntentStatus } from "./status.ts";

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

/** The order's number on chain, and what of its amount went where, in the smallest unit. */
export type OrderFacts = { status: number; released: bigint; refunded: bigint };

function ofFundedOrder({ status, released }: OrderFacts): MerchantStatus {
  switch (ORDER_STATUSES[status]) {
    case "Created":
      return "IN_ESCROW";
    case "Shipped":
      return "SHIPPED";
    case "Delivered":
    case "AwaitingSettlement":
      return "DELIVERED";
    case "Disputed":
      return "DISPUTED";
    case "Completed":
      return "RELEASED";
    case "Cancelled":
      // A refund of everything that is not deep yet: a reorg can still take it back.
      return released > 0n ? "RELEASED" : "CONFIRMING";
    default:
      throw new Error(`The contract has no order status ${status}.`);
  }
}

export function deriveMerchantStatus(status: IntentStatus, order: OrderFacts | null): MerchantStatus {
  switch (status) {
    case "INITIATED":
    case "REQUIRES_SIGNATURE":
      return "AWAITING_PAYMENT";
    case "PROCESSING":
      return "CONFIRMING";
    case "REQUIRES_ACTION":
      return "NEEDS_ACTION";
    case "CANCELED":
      return order && order.refunded > 0n ? "REFUNDED" : "CANCELED";
    case "SUCCEEDED":
      // Without an order, a reorg took back what a provider already carries out.
      return order ? ofFundedOrder(order) : "RELEASED";
    case "SETTLED":
    case "FINAL":
      // While the rest is on its way it is released; once nothing is left to pay out, the refund is what to see.
      if (order && order.refunded > 0n) return "PARTLY_REFUNDED";
      return status === "FINAL" ? "FINAL" : "PAID_OUT";
  }
}
