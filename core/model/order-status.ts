// Maps an order's on-chain status number to the API's status (contracts/README.md, "States").
export const ORDER_STATUSES_SHOWN = [
  "PENDING",
  "SHIPPED",
  "DELIVERED",
  "COMPLETED",
  "CANCELLED",
  "DISPUTED",
] as const;
export type OrderStatusShown = (typeof ORDER_STATUSES_SHOWN)[number];

export const ORDER_SETTLEMENT_STATUSES = ["NONE", "SCHEDULED", "EXECUTED", "CONFIRMED", "CANCELLED"] as const;
export type OrderSettlementStatus = (typeof ORDER_SETTLEMENT_STATUSES)[number];

const SHOWN: { orderStatus: OrderStatusShown; settlementStatus: OrderSettlementStatus }[] = [
  { orderStatus: "PENDING", settlementStatus: "NONE" },
  { orderStatus: "SHIPPED", settlementStatus: "NONE" },
  { orderStatus: "DELIVERED", settlementStatus: "NONE" },
  { orderStatus: "DELIVERED", settlementStatus: "SCHEDULED" },
  { orderStatus: "COMPLETED", settlementStatus: "EXECUTED" },
  { orderStatus: "CANCELLED", settlementStatus: "CANCELLED" },
  { orderStatus: "DISPUTED", settlementStatus: "NONE" },
];

const COMPLETED = 4;

/** @param final whether the payouts' return windows have ended */
export function showOrderStatus(order: { status: number } | null, final: boolean) {
  const shown = SHOWN[order?.status ?? 0];
  if (!shown) throw new Error(`Unknown order status: ${order?.status}.`);
  if (order?.status === COMPLETED && final) return { ...shown, settlementStatus: "CONFIRMED" as const };
  return shown;
}
