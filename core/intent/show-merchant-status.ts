// A payment's status in the merchant's words, from the read model's view of it.
import type { IntentView } from "../db/read-intent.ts";
import { deriveMerchantStatus, type MerchantStatus } from "./merchant-status.ts";
import { showOrderStatus } from "./order-status.ts";

/** Of a payment whose deployment is not current: as it was emitted last. */
export function merchantStatusOf({ intent, order, status, orphaned }: IntentView): MerchantStatus {
  if (orphaned) return intent.lastEmittedMerchantStatus;
  if (intent.type !== "DELIVERY_VS_PAYMENT" || !order) return deriveMerchantStatus(status, null);
  return deriveMerchantStatus(status, {
    ...showOrderStatus(order, status === "FINAL"),
    funded: true,
    releasedAmount: String(order.released),
    refundedAmount: String(order.refunded),
  });
}
