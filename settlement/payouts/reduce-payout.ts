// Reduces payouts that the chain no longer covers, after a deep reorg.
import { and, eq, isNull, sql } from "drizzle-orm";
import { recordAudit } from "#core/audit/record-audit.ts";
import type { Transaction } from "#core/db/client.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { orderIdOfIntent } from "#core/ids.ts";
import { findAmountProblem } from "#core/off-ramp/quotes-and-limits.ts";
import { dueNow } from "#core/payouts/due-now.ts";
import { NOW, scheduleWork } from "#core/work/schedule-work.ts";
import type { Context } from "../runtime/context.ts";
import type { ClaimedPayout } from "./claim-payouts.ts";

/** Whether a payout was never ordered, and the amount that the chain covers can be paid. */
export const isReducible = (
  { config }: Pick<Context, "config">,
  { attempt, calledAt, method, currency }: ClaimedPayout,
  covered: bigint,
): boolean =>
  attempt === 1 &&
  calledAt === null &&
  covered > 0n &&
  findAmountProblem(config, { method, currency, amount: covered }) === undefined;

type Reduced = Pick<typeof payout.$inferSelect, "id" | "intentId" | "merchantId" | "mode" | "amount">;

/**
 * Records that a payout was reduced. If the chain settles the rest later, it is planned again: that work is scheduled
 * as well, because the chain may have changed since the payout was checked.
 * @param before the amount before it was reduced
 */
export async function noteReduction(
  tx: Transaction,
  { deployment, log }: Pick<Context, "deployment" | "log">,
  { id, intentId, merchantId, mode, amount }: Reduced,
  before: bigint,
): Promise<void> {
  const change = { from: before.toString(), to: amount.toString() };
  await recordAudit(tx, [
    {
      ...{ merchantId, mode, actor: { type: "system", id: null } },
      ...{ action: "payout.reduced", intentId, resourceId: id, ...change },
    },
  ]);
  const orderId = orderIdOfIntent(intentId);
  await scheduleWork(tx, deployment.id, [{ orderId, merchantId, purpose: "plan_payouts", ...NOW }]);
  log.warn({ payout: id, intent: intentId, ...change }, "payout reduced to what the chain settles");
}

/** Reduces the amount of a claimed payout that was never ordered, and makes it due. */
export const reducePayout = (
  context: Pick<Context, "database" | "deployment" | "log">,
  row: ClaimedPayout,
  amount: bigint,
): Promise<void> =>
  context.database.transaction(async (tx) => {
    const [reduced] = await tx
      .update(payout)
      .set({ amount, ...dueNow, updatedAt: sql`clock_timestamp()` })
      .where(and(eq(payout.id, row.id), eq(payout.leasedUntil, row.leasedUntil), isNull(payout.calledAt)))
      .returning({ mode: payout.mode });
    if (reduced) await noteReduction(tx, context, { ...row, ...reduced, amount }, row.amount);
  });
