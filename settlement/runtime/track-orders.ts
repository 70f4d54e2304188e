// Derives work from changes on chain, never from the chain's history: from the orders of new blocks, and from those
// that a reorg changed or removed (docs/architecture.md, "Work follows the change").
import { and, eq, lt, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { hexText } from "#core/db/as-text.ts";
import * as chain from "#core/db/chain.ts";
import type { Transaction } from "#core/db/client.ts";
import { columnNames } from "#core/db/column-names.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { intent } from "#core/db/schema/intents.ts";
import { trackedOrder, workItem } from "#core/db/schema/work.ts";
import { toStoredForm } from "#core/db/stored-form.ts";
import type { OrderId } from "#core/ids.ts";
import type { Head } from "#core/indexer-state/guard.ts";
import { DEEPEST_REORG } from "#core/indexer-state/high-water-mark.ts";
import {
  indexedBlock,
  indexerSnapshotFields,
  joinIndexerSnapshot,
} from "#core/indexer-state/indexer-snapshot.ts";
import { scheduleDerivedWork, type Work } from "#core/work/schedule-work.ts";
import type { Context } from "./context.ts";
import { deriveWork, type OrderFacts } from "./derive-work.ts";
import { buildRules, FACTS, type Found, i, o, restoreFacts } from "./order-facts.ts";

/** Number of orders per page. */
const PAGE = 500;
/**
 * Number of blocks between two full reads, which go back as far as any reorg. A full read also follows every read that
 * found changes by a reorg. The other reads go back only a few blocks.
 */
const FULL_READING_BLOCKS = 32;
/** Number of blocks by which the stored position may fall behind. */
const STORE_BLOCKS = 32;

/** The empty id is before every other id. */
type BlockPosition = { block: number; id: string };

/** The head of the last read, the head from which the next read is a full one, and the stored position. */
type Known = { head: number; fullReadingAt: number; storedAt: number };

/** Alias for the tracked orders that the statement selects as `moved`. */
const m = alias(trackedOrder, "m");

/**
 * Creates the query for orders that changed after a position, sorted by block, and for tracked orders above `low` that
 * no longer exist or were changed by another block. Every part is read through an index, starting at that block.
 */
function createQuery({ reads, deployment: current }: Pick<Context, "reads" | "deployment">) {
  return joinIndexerSnapshot(
    reads
      .select({
        snapshot: indexerSnapshotFields,
        head: indexedBlock.mapWith(Number),
        found: sql<{ changed: (BlockPosition & { facts: Found | null })[]; moved: Found[] }>`(
          with changed as (
            select o.* from ${chain.order} o
            where (${o.updatedBlock}, ${o.id}) > (${sql.placeholder("block")}::numeric, ${sql.param(sql.placeholder("id"), chain.order.id)})
            order by ${o.updatedBlock}, ${o.id} limit ${sql.raw(String(PAGE))}),
          moved as (
            select ${trackedOrder.orderId} from ${trackedOrder} left join ${chain.order} o on ${o.id} = ${trackedOrder.orderId}
            where ${trackedOrder.deploymentId} = ${deployment.id} and ${trackedOrder.block} >= ${sql.placeholder("low")}::bigint
              and ${o.updatedBlockHash} is distinct from ${trackedOrder.blockHash})
          select json_build_object(
            'changed', (select coalesce(json_agg(json_build_object('block', ${o.updatedBlock}, 'id', ${hexText(o.id)}, 'facts',
                case when ${i.id} is not null and ${trackedOrder.blockHash} is distinct from ${o.updatedBlockHash} then ${FACTS} end)
                order by ${o.updatedBlock}, ${o.id}), '[]')
              from changed o
              left join ${intent} i on ${i.id} = ${o.id} and ${i.deploymentId} = ${deployment.id}
              left join ${trackedOrder} on ${trackedOrder.orderId} = ${o.id}),
            'moved', (select coalesce(json_agg(${FACTS}), '[]')
              from moved m join ${intent} i on ${i.id} = ${m.orderId}
              left join ${chain.order} o on ${o.id} = ${m.orderId})))`,
      })
      .from(deployment)
      .$dynamic(),
  )
    .where(eq(deployment.id, current.id))
    .prepare("track_orders");
}

const t = alias(trackedOrder, "t");
const names = columnNames(trackedOrder);

/**
 * Stores the block that last changed each order. @returns the orders whose block was not stored yet: another replica
 * may have been faster
 */
async function track(
  tx: Transaction,
  deploymentId: number,
  facts: readonly OrderFacts[],
): Promise<OrderFacts[]> {
  const rows = facts.map(({ orderId, merchantId, order }) => ({
    orderId,
    merchantId,
    block: order?.updatedBlock ?? null,
    blockHash: order?.updatedBlockHash ?? null,
  }));
  const { rows: written } = await tx.execute<{ orderId: OrderId }>(sql`
    with known as (
      select * from json_to_recordset(${JSON.stringify(rows.map(toStoredForm(trackedOrder)))}::json)
        as k ("orderId" bytea, "merchantId" bytea, block bigint, "blockHash" bytea)),
    gone as (
      delete from ${trackedOrder} t using known k
      where k."blockHash" is null and ${t.orderId} = k."orderId" and ${t.merchantId} = k."merchantId"
      returning ${hexText(t.orderId)} as "orderId"),
    there as (
      insert into ${trackedOrder} as t (${names.deploymentId}, ${names.merchantId}, ${names.orderId}, ${names.block},
        ${names.blockHash})
      select ${deploymentId}, k."merchantId", k."orderId", k.block, k."blockHash" from known k
      where k."blockHash" is not null
      order by k."orderId"
      on conflict (${names.orderId}, ${names.merchantId}) do update set
        ${names.block} = excluded.${names.block}, ${names.blockHash} = excluded.${names.blockHash}
        where ${t.blockHash} <> excluded.${names.blockHash}
      returning ${hexText(t.orderId)} as "orderId")
    select "orderId" from gone union all select "orderId" from there`);
  const ids = new Set(written.map(({ orderId }) => orderId));
  return facts.filter(({ orderId }) => ids.has(orderId));
}

const w = alias(workItem, "w");
const d = alias(workItem, "d");

/**
 * Removes work that is no longer due after these orders have changed. It never waits for a lock, so it cannot deadlock:
 * a locked item stays, and the worker that claims the item finds nothing to do.
 */
async function dropWork(
  tx: Transaction,
  changed: readonly OrderFacts[],
  work: readonly Work[],
): Promise<void> {
  const purposes = Map.groupBy(work, ({ orderId }) => orderId);
  const kept = changed.map(({ orderId }) => ({
    orderId,
    purposes: (purposes.get(orderId) ?? []).map(({ purpose }) => purpose),
  }));
  await tx.execute(sql`
    with dropped as (
      select ${w.orderId}, ${w.purpose}, ${w.merchantId} from ${workItem} w
      join json_to_recordset(${JSON.stringify(kept.map(toStoredForm(workItem)))}::json) as k ("orderId" bytea, purposes jsonb)
        on ${w.orderId} = k."orderId" and not k.purposes ? ${w.purpose}
      where ${w.derived} for update of w skip locked)
    delete from ${workItem} w using dropped d
    where ${w.orderId} = ${d.orderId} and ${w.purpose} = ${d.purpose} and ${w.merchantId} = ${d.merchantId}`);
}

/**
 * Creates the tracker.
 * @returns a function that reads the changes since its last call, and returns the indexed head that it saw, and whether
 *   any order has changed
 */
export function createTracker(context: Context): () => Promise<{ head: Head; changed: boolean }> {
  const { database, guard, deployment: current } = context;
  const query = createQuery(context);
  const rules = buildRules(context);
  const shortReading = 2 * rules.confirmations;
  let known: Known | undefined;

  async function begin(): Promise<Known> {
    const [row] = await database
      .select({ trackedBlock: deployment.trackedBlock })
      .from(deployment)
      .where(eq(deployment.id, current.id));
    const storedAt = row?.trackedBlock ?? 0;
    return { head: storedAt, fullReadingAt: 0, storedAt };
  }

  async function write(facts: OrderFacts[], tracked: number | undefined): Promise<void> {
    if (facts.length === 0 && tracked === undefined) return;
    await database.transaction(async (tx) => {
      if (facts.length > 0) {
        const news = await track(tx, current.id, facts);
        const work = news.flatMap((one) => deriveWork(one, rules));
        await scheduleDerivedWork(tx, current.id, work);
        await dropWork(tx, news, work);
      }
      if (tracked === undefined) return;
      await tx.update(deployment).set({ trackedBlock: tracked }).where(eq(deployment.id, current.id));
      const before = tracked - 2 * DEEPEST_REORG;
      await tx
        .delete(trackedOrder)
        .where(and(eq(trackedOrder.deploymentId, current.id), lt(trackedOrder.block, before)));
    });
  }

  /** Reads every page, starting below the last head. */
  async function read(last: Known): Promise<{ head: Head; known: Known; changed: boolean }> {
    const isFull = last.head >= last.fullReadingAt;
    const low = last.head - (isFull ? DEEPEST_REORG : shortReading);
    let place: BlockPosition = { block: Math.max(-1, low - 1), id: "" };
    let reorganized = false;
    let hasChanged = false;
    for (;;) {
      const [row] = await query.execute({ ...place, low });
      if (!row) throw new Error("The deployment is not in the database.");
      const head = await guard(row.snapshot);
      const { changed, moved } = row.found;
      reorganized ||= moved.length > 0 || changed.some(({ block, facts }) => facts && block <= last.head);
      const facts = new Map(
        [...changed.flatMap((one) => one.facts ?? []), ...moved].map((found) => [
          found.orderId,
          restoreFacts(found),
        ]),
      );
      hasChanged ||= facts.size > 0;
      const isLast = changed.length < PAGE;
      const isStored = isLast && Math.abs(head.block - last.storedAt) >= STORE_BLOCKS;
      await write([...facts.values()], isStored ? head.block : undefined);
      if (isLast) {
        const next = isFull
          ? head.block + FULL_READING_BLOCKS
          : Math.min(last.fullReadingAt, head.block + FULL_READING_BLOCKS);
        const known = {
          head: head.block,
          // The reorg's changes may be deeper than the few blocks that were read.
          fullReadingAt: reorganized && !isFull ? 0 : next,
          storedAt: isStored ? head.block : last.storedAt,
        };
        return { head, known, changed: hasChanged };
      }
      const end = changed.at(-1);
      if (end) place = { block: end.block, id: end.id };
    }
  }

  return async () => {
    for (let hasChanged = false; ; ) {
      const { head, changed, ...made } = await read(known ?? (await begin()));
      hasChanged ||= changed;
      known = made.known;
      if (known.fullReadingAt > 0) return { head, changed: hasChanged };
    }
  };
}
