// Reduces payouts that the chain no longer covers, after a deep reorg.
import { and, eq, isNull, sql } from "drizzle-orm";
import { recordAudit } from "#core/audit/record-audit.ts";
import type { Transaction } from "#core/db/client.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { formatAmount } from "#core/money.ts";
import { findAmountProblem } from "#core/off-ramp/quotes-and-limits.ts";
import { dueNow } from "#core/payouts/due-now.ts";
import type { Context } from "../runtime/context.ts";
import type { NotCovered } from "./check-coverage.ts";
import type { ClaimedPayout } from "./claim-payouts.ts";
import { planAgain } from "./plan-again.ts";

/**
 * Whether a payout was never ordered, and the amount that the chain covers can be paid. A payout that was ordered is not
 * reduced, because its reference stands for its amount at the provider: operators end it, and its next attempt is reduced.
 */
export const isReducible = (
  { config }: Pick<Context, "config">,
  { calledAt, method, currency }: ClaimedPayout,
  covered: bigint,
): boolean =>
  calledAt === null &&
  covered > 0n &&
  findAmountProblem(config, { method, currency, amount: covered }) === undefined;

/** Returns why a payout is blocked, and how operators have the part paid that the chain covers. */
export function explainUncovered(
  { config }: Pick<Context, "config">,
  { method, currency }: ClaimedPayout,
  { problem, covered }: Required<NotCovered>,
): string {
  if (covered === 0n) return problem;
  const part = `They cover ${formatAmount(covered, currency)} ${currency} of it`;
  return findAmountProblem(config, { method, currency, amount: covered }) === undefined
    ? `${problem} ${part}. To have this paid, run: npm run ops -- fail, then npm run ops -- retry.`
    : `${problem} ${part}, which no provider pays: pay it manually (npm run ops -- settle-externally).`;
}

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
  await planAgain(tx, deployment.id, { intentId, merchantId });
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
