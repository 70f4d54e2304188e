// What the contract lets the payer of a funded order do now (contracts/IDeliveryVsPayment.sol).
import { type Checkout, isOpen, isPositive, type Order } from "./checkout.ts";
import { nextMilestone } from "./milestones.ts";
import type { Verified } from "./verify.ts";

/** In the order in which they are offered. */
export const RIGHTS = ["milestone", "release", "dispute", "reclaim", "expire", "claim"] as const;
export type Right = (typeof RIGHTS)[number];

/** Whether anyone can release the order because its lock has expired. @param now Unix seconds */
export const isLockExpired = ({ status }: Order, { releaseType, terms }: Verified, now: number): boolean =>
  releaseType === "TIME_LOCKED" &&
  (status === "Shipped" || status === "Delivered") &&
  now >= terms.timeLockUntil;

/** Whether nobody has decided the order's dispute in time. @param now Unix seconds */
export const isDisputeExpired = ({ status, disputeDeadline }: Order, now: number): boolean =>
  status === "Disputed" && disputeDeadline !== null && now > disputeDeadline;

/** @param now Unix seconds */
export function rightsOf(checkout: Checkout, verified: Verified, now: number): Right[] {
  const { order } = checkout.data;
  if (!order) return [];
  const { releaseType } = verified;
  const { status, disputedByPayer, deliveryDeadline, proven } = order;
  const open = isOpen(status);
  const late = now > deliveryDeadline;
  const lockExpired = isLockExpired(order, verified, now);
  const payeesRelease =
    proven && (releaseType === "MILESTONE_LOCKED" || (late && releaseType !== "TIME_LOCKED"));
  const reclaim = open && !proven && late && !lockExpired;
  const may: Record<Right, boolean> = {
    milestone: nextMilestone(checkout, verified) !== undefined,
    release: open || status === "Disputed",
    // Not while a party can end the order by its own call: a dispute would take that away.
    dispute: open && !disputedByPayer && !lockExpired && !payeesRelease && !reclaim,
    reclaim,
    expire: isDisputeExpired(order, now),
    claim: isPositive(order.credit),
  };
  return RIGHTS.filter((right) => may[right]);
}
