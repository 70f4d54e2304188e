// What a milestone's `data` holds (spec, "Milestone"): in the API's answers, and in events.
import type { IntentView } from "../db/read-intent.ts";
import type { milestone } from "../db/schema.ts";
import { formatAmount } from "../money.ts";
import { escrowIdOf } from "./show-escrow.ts";

type Row = typeof milestone.$inferSelect & { released: boolean };
type Status = "PENDING" | "COMPLETED" | "RELEASED";

export function milestoneDataOf(view: IntentView, row: Row) {
  const status: Status = row.released ? "RELEASED" : row.completedAt ? "COMPLETED" : "PENDING";
  return {
    id: row.id,
    conditionalPaymentId: escrowIdOf(view),
    paymentIntentId: view.intent.id,
    milestoneIndex: row.milestoneIndex,
    description: row.description,
    amount: formatAmount(row.amount, view.intent.currency),
    percentage: row.percentage,
    status,
    createdAt: row.createdAt.toISOString(),
  };
}
