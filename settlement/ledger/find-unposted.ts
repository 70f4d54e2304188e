// Finds payments whose postings may be missing, with a cheap query per block, so that the comparison itself
// (differences.ts) reads only those. It may return too many; comparing them changes nothing.
import { eq, type SQL, sql } from "drizzle-orm";
import { indexerSnapshotFields, joinIndexerSnapshot } from "#core/db/indexer-snapshot.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import type { IntentId } from "#core/ids.ts";
import type { Context } from "../runtime/context.ts";
import { deepBlock } from "./differences.ts";

/** Payments returned at a time. */
export const BATCH = 500;

/** Whether the last posting about a fact is missing or has a different amount. */
const isUnposted = (kind: string, subject: SQL, amount: SQL): SQL => sql`coalesce((
  select b.reversed or (b.revision = 1 and b.amount <> ${amount}) from gateway.ledger_posting b
  where b.deployment_id = ${deployment.id} and b.kind = ${sql.raw(`'${kind}'`)} and b.subject = ${subject}
  order by b.revision desc limit 1), true)`;

/** Scalar values, so that they can be used as index conditions. */
const since = sql.raw("(select since from place)");
const deep = sql.raw("(select deep from place)");
/**
 * Above every block. For a range with one bound PostgreSQL estimates a third of the table and reads all of it, so each
 * range has two.
 */
const end = sql.raw("(select 'infinity'::numeric from place)");

/**
 * Whether the chain lacks a row. A scalar instead of a join or EXISTS, whose plan may read the other table to its end.
 */
const isGone = (table: string, id: string): SQL =>
  sql.raw(`(select true from chain."${table}" c where c.id = ${id}) is null`);

/** Orders with confirmed but unposted facts above the block `since`, and postings whose facts are no longer there. */
const UNPOSTED = sql`
  select o.id as order_id from chain."order" o
    where o.updated_block > ${since} and o.updated_block <= ${end} and o.created_block <= ${deep}
      and ${isUnposted("funded", sql`o.id`, sql`o.amount`)}
  union
  select r.order_id from chain.refund r
    where r.block > ${since} and r.block <= ${deep} and ${isUnposted("refunded", sql`r.id`, sql`r.amount`)}
  union
  select s.order_id from chain.settlement s
    where s.block > ${since} and s.block <= ${deep} and ${isUnposted("settled", sql`s.id`, sql`s.amount`)}
  union
  select w.order_id from chain."order" o
    cross join lateral (select * from chain.withdrawal w where w.order_id = o.id and w.block <= ${deep} offset 0) w
    where o.updated_block > ${since} and o.updated_block <= ${end} and o.withdrawals > 0
      and ${isUnposted("withdrawn", sql`w.id`, sql`w.amount`)}
  union
  select '0x' || substr(b.intent_id, 8) from gateway.ledger_posting b
    where b.deployment_id = ${deployment.id} and b.block > ${since} and b.block <= ${deep} and case b.kind
      when 'funded' then ${isGone("order", "b.subject")} when 'refunded' then ${isGone("refund", "b.subject")}
      when 'settled' then ${isGone("settlement", "b.subject")}
      when 'withdrawn' then ${isGone("withdrawal", "b.subject")} else false end
  union
  select '0x' || substr(p.intent_id, 8) from gateway.payout p
    where p.settlement_block > ${since} and p.settlement_block <= ${deep} and ${isGone("settlement", "p.settlement_id")}
  union
  select '0x' || substr(p.intent_id, 8) from gateway.payout p
    where p.state in ('completed', 'failed', 'returned') and p.posted_state is distinct from p.state`;

/**
 * Creates the query.
 * @returns runs it for blocks above `since`, counted from the ledger's high-water mark: at most BATCH payments, the
 * mark, the latest block that counts, and the snapshot of the read
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
        mark: deployment.ledgerBlock,
        found: sql<Found>`(
          with place as (
            select ${deepBlock(config.chain.confirmations, sql`${sql.placeholder("finalized")}::bigint`)} as deep,
              ${deployment.ledgerBlock} - ${sql.placeholder("back")}::bigint as since),
          unposted as (${UNPOSTED})
          select json_build_object('deep', (select deep from place), 'ids', (select coalesce(json_agg(id), '[]') from (
            select i.id from unposted u cross join lateral (
              select id from gateway.intent where order_id = u.order_id and deployment_id = ${deployment.id} limit 1) i
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
    const { snapshot, mark, found } = row;
    return { snapshot, mark, ...found };
  };
}
