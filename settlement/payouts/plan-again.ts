// Plans the payouts of a payment again, after the funds of one have become less.
import type { Transaction } from "#core/db/client.ts";
import { type IntentId, orderIdOfIntent } from "#core/ids.ts";
import { NOW, scheduleWork } from "#core/work/schedule-work.ts";

/** Schedules the planning of what the chain settles, or has settled since it was last asked. */
export function planAgain(
  tx: Transaction,
  deploymentId: number,
  { intentId, merchantId }: { intentId: IntentId; merchantId: string },
): Promise<void> {
  const orderId = orderIdOfIntent(intentId);
  return scheduleWork(tx, deploymentId, [{ orderId, merchantId, purpose: "plan_payouts", ...NOW }]);
}
