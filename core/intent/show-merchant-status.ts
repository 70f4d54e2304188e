// A payment's merchant status, from the read model.
import { deriveMerchantStatus, type MerchantStatus } from "../model/merchant-status.ts";
import { deriveOrderStatus } from "../model/order-status.ts";
import type { IntentView } from "./read-intent.ts";

/** Returns a payment's merchant status. If the deployment is not current, this is the last emitted status. */
export function showMerchantStatus({ intent, order, status, orphaned }: IntentView): MerchantStatus {
  if (orphaned) return intent.lastEmittedMerchantStatus;
  if (intent.type !== "DELIVERY_VS_PAYMENT" || !order) return deriveMerchantStatus(status, null);
  return deriveMerchantStatus(status, {
    ...deriveOrderStatus(order, status === "FINAL"),
    funded: true,
    releasedAmount: String(order.released),
    refundedAmount: String(order.refunded),
  });
}
