// Releases completed milestones that their completion did not: one before them was on its way, or the transaction was lost.
import { and, eq, exists, isNotNull, isNull, or, sql } from "drizzle-orm";
import { zeroAddress } from "viem";
import * as chain from "#core/db/chain.ts";
import { intent, milestone } from "#core/db/schema.ts";
import { indexedTime } from "#core/db/witness.ts";
import type { Context } from "./context.ts";
import { callForEach, canChange, type DueOrder, isOperatedBy, releaseType, statuses } from "./due-orders.ts";

/** Makes the run. Where an oracle or the payer judges, the service's word releases nothing. */
export function createMilestoneReleaser(context: Context): () => Promise<void> {
  const { database } = context;
  const next = database
    .select({ id: milestone.id })
    .from(milestone)
    .where(
      and(
        eq(milestone.intentId, intent.id),
        eq(milestone.milestoneIndex, chain.order.milestones),
        isNotNull(milestone.completedAt),
      ),
    );

  /** Index and amount of the milestone that is next. */
  async function argumentsOf({ intentId, released }: DueOrder): Promise<[bigint, bigint]> {
    const [row] = await database
      .select({ amount: milestone.amount })
      .from(milestone)
      .where(and(eq(milestone.intentId, intentId), eq(milestone.milestoneIndex, released)));
    if (!row) throw new Error(`Milestone ${released} of ${intentId} has vanished.`);
    return [BigInt(released), row.amount];
  }

  return callForEach(context, {
    purpose: "release_milestone",
    functionName: "releaseMilestone",
    more: argumentsOf,
    due: {
      where: and(
        canChange,
        isNull(intent.canceledAt),
        sql`${chain.order.releaseType} = ${releaseType("MILESTONE_LOCKED")} and ${chain.order.autoReleaseOnProof}`,
        sql`${chain.order.status} in (${statuses("Created", "Shipped", "Delivered")})`,
        eq(chain.order.deliveryOracle, zeroAddress),
        // Afterwards the rest of an unproven order is the payer's to take back.
        or(eq(chain.order.proven, true), sql`${chain.order.deliveryDeadline} > ${indexedTime}`),
        isOperatedBy(context),
        exists(next),
      ),
      by: chain.order.createdBlock,
    },
  });
}
