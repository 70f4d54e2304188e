// Maps an order's on-chain status number (contracts/README.md, "States") to the API's order and settlement statuses.
export const API_ORDER_STATUSES = [
  "PENDING",
  "SHIPPED",
  "DELIVERED",
  "COMPLETED",
  "CANCELLED",
  "DISPUTED",
] as const;
export type ApiOrderStatus = (typeof API_ORDER_STATUSES)[number];

export const ORDER_SETTLEMENT_STATUSES = ["NONE", "SCHEDULED", "EXECUTED", "CONFIRMED", "CANCELLED"] as const;
export type OrderSettlementStatus = (typeof ORDER_SETTLEMENT_STATUSES)[number];

const API_STATUSES_BY_NUMBER: { orderStatus: ApiOrderStatus; settlementStatus: OrderSettlementStatus }[] = [
  { orderStatus: "PENDING", settlementStatus: "NONE" },
  { orderStatus: "SHIPPED", settlementStatus: "NONE" },
  { orderStatus: "DELIVERED", settlementStatus: "NONE" },
  { orderStatus: "DELIVERED", settlementStatus: "SCHEDULED" },
  { orderStatus: "COMPLETED", settlementStatus: "EXECUTED" },
  { orderStatus: "CANCELLED", settlementStatus: "CANCELLED" },
  { orderStatus: "DISPUTED", settlementStatus: "NONE" },
];

const COMPLETED = 4;

/**
 * @param order null if the payment is not funded, which gives PENDING
 * @param final whether the intent's status is FINAL
 */
export function deriveOrderStatus(order: { status: number } | null, final: boolean) {
  const statuses = API_STATUSES_BY_NUMBER[order?.status ?? 0];
  if (!statuses) throw new Error(`Unknown order status: ${order?.status}.`);
  if (order?.status === COMPLETED && final) return { ...statuses, settlementStatus: "CONFIRMED" as const };
  return statuses;
}
