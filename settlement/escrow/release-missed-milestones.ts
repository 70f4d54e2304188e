// Releases completed milestones that were not released on completion because another transaction was in progress or was
// lost.
import { and, eq, isNull, sql } from "drizzle-orm";
import { zeroAddress } from "viem";
import { OPEN_STATUSES } from "#core/chain/terms.ts";
import * as chain from "#core/db/chain.ts";
import { hasStatus } from "#core/db/order-statuses.ts";
import { intent, milestone } from "#core/db/schema/intents.ts";
import { indexedTime } from "#core/indexer-state/indexer-snapshot.ts";
import type { Context } from "../runtime/context.ts";
import type { WorkHandler } from "../runtime/work-loop.ts";
import {
  createOrderCallHandler,
  type DueOrder,
  isNotFinal,
  isOperatedBy,
  releaseType,
} from "./due-orders.ts";

/** Skips orders whose milestones an oracle or the payer approves: the service's own record releases nothing there. */
export function createMissedMilestoneReleaser(context: Context): WorkHandler {
  const { database } = context;
  /**
   * The total amount that the completed milestones allow to be released. A milestone does not count if an earlier one
   * is neither complete nor released. This is a scalar subquery, not a join: the plan of a join may start with every
   * milestone that was ever completed.
   */
  const completed = sql<string>`(
    select coalesce(max(total) filter (where completed_at is not null and not blocked), 0) from (
      select completed_at, total,
        bool_or(completed_at is null and total > ${chain.order.released}) over (order by milestone_index) as blocked
      from (
        select ${milestone.completedAt}, ${milestone.milestoneIndex},
          sum(${milestone.amount}) over (order by ${milestone.milestoneIndex}) as total
        from ${milestone} where ${milestone.intentId} = ${intent.id}) ordered) marked)`;
  async function cumulativeAmount({ intentId }: DueOrder): Promise<[bigint]> {
    const [row] = await database
      .select({ completed })
      .from(intent)
      .innerJoin(chain.order, eq(chain.order.id, intent.id))
      .where(eq(intent.id, intentId));
    return [BigInt(row?.completed ?? 0)];
  }

  return createOrderCallHandler(context, {
    purpose: "release_milestone",
    functionName: "releaseMilestone",
    more: cumulativeAmount,
    where: and(
      isNotFinal,
      isNull(intent.canceledAt),
      sql`${chain.order.releaseType} = ${releaseType("MILESTONE_LOCKED")}`,
      hasStatus(chain.order.status, ...OPEN_STATUSES),
      // operatorReleasesMilestones (core/chain/terms.ts) in SQL.
      and(chain.order.autoReleaseOnProof, eq(chain.order.deliveryOracle, zeroAddress)),
      // After the deadline, the payer can reclaim the rest.
      sql`${chain.order.deliveryDeadline} > ${indexedTime}`,
      isOperatedBy(context),
      sql`least(${completed}, ${chain.order.amount} - ${chain.order.refunded}) > ${chain.order.released}`,
    ),
  });
}
