// Reads payments with what they have settled on chain and the payouts that exist for it.
import { and, eq, sql } from "drizzle-orm";
import * as chain from "#core/db/chain.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { intent } from "#core/db/schema/intents.ts";
import { indexerSnapshotFields, joinIndexerSnapshot } from "#core/indexer-state/indexer-snapshot.ts";
import type { IntentRow } from "#core/intent/read-intent.ts";
import { isAmongIds } from "../escrow/due-orders.ts";
import type { Context } from "../runtime/context.ts";
import { type Part, p, partsWhere, type Settlement, s, settlementsWhere } from "./payment-parts.ts";

export type SettledPayment = {
  intent: IntentRow;
  milestones: string[];
  settlements: Settlement[];
  parts: Part[];
};

const milestones = sql<string[]>`(
  select coalesce(json_agg(${chain.milestoneRelease.amount}::text order by ${chain.milestoneRelease.number}), '[]')
  from ${chain.milestoneRelease} where ${chain.milestoneRelease.orderId} = ${intent.id})`;

/**
 * Prepares the query.
 * @returns a function that reads the payments of some orders, and checks that the indexer is current, even if there are none
 */
export function createPaymentReader({ reads, guard, deployment: current }: Context) {
  const query = joinIndexerSnapshot(
    reads
      .select({
        intent,
        settlements: settlementsWhere(eq(s.orderId, intent.id)),
        milestones,
        parts: partsWhere(eq(p.intentId, intent.id)),
        snapshot: indexerSnapshotFields,
      })
      .from(deployment)
      .leftJoin(intent, isAmongIds)
      .$dynamic(),
  )
    .where(and(eq(deployment.id, current.id), deployment.current))
    // Everybody locks intents and work items in this order.
    .orderBy(intent.id)
    .prepare("settled_payments");

  return async (ids: readonly string[]) => {
    const rows = await query.execute({ ids });
    const [first] = rows;
    if (!first) throw new Error("The deployment is not in the database.");
    const head = await guard(first.snapshot);
    const payments = rows.flatMap(({ intent: row, ...one }): SettledPayment | [] =>
      row ? { ...one, intent: row } : [],
    );
    return { head, payments };
  };
}
