// Derives the work that an order's facts make due, and when. These functions are pure: the tracker (track-orders.ts)
// calls them for changed orders, the full scan for every open order. An item may be due although nothing has to be
// done, because its worker reads the facts again.
import {
  isOpen,
  ORDER_STATUSES,
  type OrderStatus,
  operatorReleasesMilestones,
  RELEASE_TYPES,
} from "#core/chain/terms.ts";
import type { OrderRow } from "#core/db/chain.ts";
import type { OrderId } from "#core/ids.ts";
import { type Due, NOW, type Work } from "#core/work/schedule-work.ts";

/** The columns of an order on which work depends. */
export const ORDER_FACTS = [
  "status",
  "releaseType",
  "autoReleaseOnProof",
  "deliveryOracle",
  "operator",
  "released",
  "settled",
  "withdrawn",
  "timeLockUntil",
  "disputeDeadline",
  "createdBlock",
  "updatedBlock",
  "updatedBlockHash",
] as const satisfies readonly (keyof OrderRow)[];

export type OrderFacts = {
  orderId: OrderId;
  merchantId: string;
  /** Whether the merchant has canceled the intent: funds that arrive afterwards are returned. */
  canceled: boolean;
  /** The amount for which payouts exist, in the token's smallest unit. */
  plannedAmount: bigint;
  /** The sum of the completed milestones, in the token's smallest unit. */
  completedAmount: bigint;
  /** Null if the order is not on chain (any more). */
  order: Pick<OrderRow, (typeof ORDER_FACTS)[number]> | null;
};

export type WorkRules = {
  confirmations: number;
  /** The account that makes the calls, in lower case. */
  operator: string;
};

const ENDED = new Set<OrderStatus | undefined>(["Completed", "Cancelled"]);
const atBlock = (due: number): Due => ({ clock: "block", due });
const atTime = (due: number): Due => ({ clock: "time", due });

export function deriveWork(
  { orderId, merchantId, canceled, plannedAmount, completedAmount, order }: OrderFacts,
  { confirmations, operator }: WorkRules,
): Work[] {
  const observe = { orderId, merchantId, purpose: "observe", ...NOW } as const;
  if (!order) return [observe];
  const status = ORDER_STATUSES[order.status];
  const releaseType = RELEASE_TYPES[order.releaseType];
  const confirmed = atBlock(order.createdBlock + confirmations - 1);
  const isOperator = order.operator.toLowerCase() === operator;
  const work: Partial<Record<Work["purpose"], Due>> = {};

  // A payee who withdraws an order on chain gets no fiat for it.
  if (isOperator && !canceled && order.released > order.settled && order.withdrawn === 0n)
    work.settle = confirmed;
  if (!canceled && releaseType === "TIME_LOCKED" && (status === "Shipped" || status === "Delivered")) {
    work.release_time_locked = atTime(order.timeLockUntil);
  }
  if (
    isOperator &&
    !canceled &&
    releaseType === "MILESTONE_LOCKED" &&
    operatorReleasesMilestones(order) &&
    completedAmount > order.released &&
    isOpen(status)
  ) {
    work.release_milestone = atBlock(order.updatedBlock);
  }
  if (status === "Disputed" && order.disputeDeadline !== null) {
    work.resolve_expired_dispute = atTime(order.disputeDeadline + 1);
  }
  if (canceled && !ENDED.has(status)) work.return_late_funding = confirmed;
  if (order.settled > plannedAmount) work.plan_payouts = atBlock(order.updatedBlock + confirmations - 1);

  return [
    observe,
    ...Object.entries(work).map(([purpose, due]) => ({
      orderId,
      merchantId,
      purpose: purpose as Work["purpose"],
      ...due,
    })),
  ];
}
