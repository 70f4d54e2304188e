// A payment's merchant status, from the read model.
import type { IntentView } from "../db/read-intent.ts";
import { deriveMerchantStatus, type MerchantStatus } from "./merchant-status.ts";
import { showOrderStatus } from "./order-status.ts";

/** For a payment whose deployment is not current: the last emitted status. */
export function showMerchantStatus({ intent, order, status, orphaned }: IntentView): MerchantStatus {
  if (orphaned) return intent.lastEmittedMerchantStatus;
  if (intent.type !== "DELIVERY_VS_PAYMENT" || !order) return deriveMerchantStatus(status, null);
  return deriveMerchantStatus(status, {
    ...showOrderStatus(order, status === "FINAL"),
    funded: true,
    releasedAmount: String(order.released),
    refundedAmount: String(order.refunded),
  });
}
