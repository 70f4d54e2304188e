// The `data` of a milestone (spec, "Milestone"), in API responses and in events.
import { ORDER_STATUSES } from "../chain/terms.ts";
import type { milestone } from "../db/schema/intents.ts";
import { formatAmount } from "../money.ts";
import type { IntentView } from "./read-intent.ts";
import { toEscrowId } from "./show-escrow.ts";

type Planned = typeof milestone.$inferSelect;
type Row = Planned & { released: boolean };
type Status = "PENDING" | "COMPLETED" | "RELEASED";

const ENDED = new Set(
  (["AwaitingSettlement", "Completed", "Cancelled"] as const).map((status) => ORDER_STATUSES.indexOf(status)),
);

/**
 * Determines which milestones are released. A milestone is released if the order's cumulative release covers it. Once
 * nothing is left to release, a partly covered milestone also counts, because partial refunds reduce the last
 * milestones.
 * @param planned the milestones in index order
 */
export function markReleased(planned: Planned[], order: IntentView["order"]): Row[] {
  const released = order?.released ?? 0n;
  const ended = order !== null && ENDED.has(order.status);
  let end = 0n;
  return planned.map((row) => {
    const start = end;
    end += row.amount;
    return { ...row, released: released >= end || (ended && released > start) };
  });
}

export function showMilestone(view: IntentView, row: Row) {
  const status: Status = row.released ? "RELEASED" : row.completedAt ? "COMPLETED" : "PENDING";
  return {
    id: row.id,
    conditionalPaymentId: toEscrowId(view),
    paymentIntentId: view.intent.id,
    milestoneIndex: row.milestoneIndex,
    description: row.description,
    amount: formatAmount(row.amount, view.intent.currency),
    percentage: row.percentage,
    status,
    createdAt: row.createdAt.toISOString(),
  };
}
