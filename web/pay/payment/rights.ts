// What the contract allows the payer of a funded order to do now (contracts/IDeliveryVsPayment.sol).
import { isOpen } from "#core/chain/terms.ts";
import { type Checkout, isPositive, type Order } from "./checkout.ts";
import { nextMilestone } from "./next-milestone.ts";
import type { Verified } from "./verify.ts";

/** In display order. */
export const RIGHTS = ["milestone", "release", "dispute", "reclaim", "expire", "claim"] as const;
export type Right = (typeof RIGHTS)[number];

/** Whether anyone can release the order because its lock has expired. @param now Unix seconds */
export const isLockExpired = ({ status }: Order, { releaseType, terms }: Verified, now: number): boolean =>
  releaseType === "TIME_LOCKED" &&
  (status === "Shipped" || status === "Delivered") &&
  now >= terms.timeLockUntil;

/** Whether the order's dispute has expired without a decision. @param now Unix seconds */
export const isDisputeExpired = ({ status, disputeDeadline }: Order, now: number): boolean =>
  status === "Disputed" && disputeDeadline !== null && now > disputeDeadline;

/** Whether a release is premature, because nothing was shipped or delivered. The payer can release anyway. */
export const isEarly = (right: Right, { status }: Order): boolean =>
  right === "release" && status === "Created";

/** @param now Unix seconds */
export function listRights(checkout: Checkout, verified: Verified, now: number): Right[] {
  const { order, confirmations } = checkout.data;
  if (!order) return [];
  // Until the payment is confirmed, there is nothing to release or dispute.
  const confirmed = confirmations.seen >= confirmations.required;
  const { releaseType } = verified;
  const { status, disputedByPayer, deliveryDeadline, proven } = order;
  const open = isOpen(status);
  const late = now > deliveryDeadline;
  const lockExpired = isLockExpired(order, verified, now);
  const payeesRelease =
    proven && (releaseType === "MILESTONE_LOCKED" || (late && releaseType !== "TIME_LOCKED"));
  const reclaim = open && !proven && late && !lockExpired;
  const may: Record<Right, boolean> = {
    milestone: confirmed && nextMilestone(checkout, verified) !== undefined,
    release: confirmed && (open || status === "Disputed"),
    // Not possible while a party can end the order with its own call, because a dispute would block that call.
    dispute: confirmed && open && !disputedByPayer && !lockExpired && !payeesRelease && !reclaim,
    reclaim,
    expire: isDisputeExpired(order, now),
    claim: isPositive(order.credit),
  };
  return RIGHTS.filter((right) => may[right]);
}
