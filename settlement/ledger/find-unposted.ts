// Finds payments whose postings may be missing, with a cheap query per block, so that the comparison itself
// (differences.ts) reads only those payments. The query may return too many: comparing the others changes nothing.
import { eq, type SQL, sql } from "drizzle-orm";
import { alias, type PgColumn, type PgTable } from "drizzle-orm/pg-core";
import { intentIdText } from "#core/db/as-text.ts";
import { order, refund, settlement, withdrawal } from "#core/db/chain.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { intent } from "#core/db/schema/intents.ts";
import { ledgerPosting } from "#core/db/schema/ledger.ts";
import { payout, unpostedPayout } from "#core/db/schema/payouts.ts";
import type { IntentId } from "#core/ids.ts";
import { indexerSnapshotFields, joinIndexerSnapshot } from "#core/indexer-state/indexer-snapshot.ts";
import type { PostingKind } from "#core/ledger/flows.ts";
import type { Context } from "../runtime/context.ts";
import { deepBlock } from "./differences.ts";

/** Maximum number of payments per query. */
export const BATCH = 500;

const b = alias(ledgerPosting, "b");
const w = alias(withdrawal, "w");

/** Whether the postings about a fact are missing or add up to a different amount. */
const isUnposted = (kind: PostingKind, orderId: PgColumn, subject: SQL, amount: PgColumn): SQL => sql`(
  select coalesce(sum(case when ${b.reversed} then -${b.amount} else ${b.amount} end), 0) <> ${amount} from ${ledgerPosting} b
  where ${b.intentId} = ${orderId} and ${b.kind} = ${sql.raw(`'${kind}'`)} and ${b.subject} = ${subject})`;

/** Scalar subqueries, which PostgreSQL can use as index conditions. */
const since = sql.raw("(select since from place)");
const deep = sql.raw("(select deep from place)");
/**
 * A bound above every block. For a range with one bound, PostgreSQL estimates a third of the table and reads all of it,
 * so each range has two bounds.
 */
const end = sql.raw("(select 'infinity'::numeric from place)");

/**
 * Whether an indexer table lacks a row. This is a scalar subquery, because the plan of a join or EXISTS may read the
 * other table to its end.
 */
const isGone = (table: PgTable, key: SQL): SQL => sql`(select true from ${table} where ${key}) is null`;

/** Whether the fact that a posting is about no longer exists. */
const isFactGone = (table: typeof refund | typeof settlement | typeof withdrawal): SQL =>
  isGone(
    table,
    sql`${table.orderId} = ${ledgerPosting.intentId} and ${table.number} = ${ledgerPosting.subject}::int`,
  );

/** Whether the settlement that a payout pays no longer exists. */
const isSettlementGone = isGone(
  settlement,
  sql`${settlement.orderId} = ${payout.intentId} and ${settlement.number} = ${payout.settlementNumber}`,
);

/** Orders with confirmed but unposted facts above the block `since`, and postings whose facts no longer exist. */
const UNPOSTED = sql`
  select ${order.id} as order_id from ${order}
    where ${order.updatedBlock} > ${since} and ${order.updatedBlock} <= ${end} and ${order.createdBlock} <= ${deep}
      and ${isUnposted("funded", order.id, sql`''`, order.amount)}
  union
  select ${refund.orderId} from ${refund}
    where ${refund.block} > ${since} and ${refund.block} <= ${deep} and ${isUnposted("refunded", refund.orderId, sql`${refund.number}::text`, refund.amount)}
  union
  select ${settlement.orderId} from ${settlement}
    where ${settlement.block} > ${since} and ${settlement.block} <= ${deep}
      and ${isUnposted("settled", settlement.orderId, sql`${settlement.number}::text`, settlement.amount)}
  union
  select ${w.orderId} from ${order}
    cross join lateral (select * from ${withdrawal} w where ${w.orderId} = ${order.id} and ${w.block} <= ${deep} offset 0) w
    where ${order.updatedBlock} > ${since} and ${order.updatedBlock} <= ${end} and ${order.withdrawals} > 0
      and ${isUnposted("withdrawn", w.orderId, sql`${w.number}::text`, w.amount)}
  union
  select ${ledgerPosting.intentId} from ${ledgerPosting}
    where ${ledgerPosting.deploymentId} = ${deployment.id} and ${ledgerPosting.block} > ${since} and ${ledgerPosting.block} <= ${deep}
      and case ${ledgerPosting.kind} when 'funded' then ${isGone(order, sql`${order.id} = ${ledgerPosting.intentId}`)}
        when 'refunded' then ${isFactGone(refund)}
        when 'settled' then ${isFactGone(settlement)}
        when 'withdrawn' then ${isFactGone(withdrawal)} else false end
  union
  select ${payout.intentId} from ${payout}
    where ${payout.settlementBlock} > ${since} and ${payout.settlementBlock} <= ${deep} and ${isSettlementGone}
  union
  select ${unpostedPayout.intentId} from ${unpostedPayout}
    join ${payout} on ${payout.id} = ${unpostedPayout.payoutId}`;

/**
 * Creates the query.
 * @returns a function that runs the query for blocks above the ledger's high-water mark minus `back`. The result has at
 *   most BATCH payments, the high-water mark, the latest confirmed block, and the snapshot of the read
 */
export function createUnpostedFinder({
  reads,
  deployment: current,
  config,
}: Pick<Context, "reads" | "deployment" | "config">) {
  type Found = { ids: IntentId[]; deep: number };
  const query = joinIndexerSnapshot(
    reads
      .select({
        snapshot: indexerSnapshotFields,
        highWaterMark: deployment.ledgerBlock,
        found: sql<Found>`(
          with place as (
            select ${deepBlock(config.chain.confirmations, sql`${sql.placeholder("finalized")}::bigint`)} as deep,
              ${deployment.ledgerBlock} - ${sql.placeholder("back")}::bigint as since),
          unposted as (${UNPOSTED})
          select json_build_object('deep', (select deep from place), 'ids', (select coalesce(json_agg(${intentIdText(sql`i.id`)}), '[]') from (
            select i.id from unposted u cross join lateral (
              select ${intent.id} from ${intent} where ${intent.id} = u.order_id and ${intent.deploymentId} = ${deployment.id} limit 1) i
            order by i.id limit ${sql.raw(String(BATCH))}) i)))`,
      })
      .from(deployment)
      .$dynamic(),
  )
    .where(eq(deployment.id, current.id))
    .prepare("ledger_unposted");

  return async (back: number, finalized: bigint | undefined) => {
    const [row] = await query.execute({ back, finalized: finalized?.toString() ?? null });
    if (!row) throw new Error("The deployment is not in the database.");
    const { snapshot, highWaterMark, found } = row;
    return { snapshot, highWaterMark, ...found };
  };
}
