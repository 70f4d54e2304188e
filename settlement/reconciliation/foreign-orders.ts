// Computes the holdings of orders that this gateway did not create, because anyone may use the contract. Holdings up to
// a seal's block are summed in pages. Later changes are few, so one statement sums them.
import { type Column, eq, gt, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { hexText } from "#core/db/as-text.ts";
import { order, refund, settlement, withdrawal } from "#core/db/chain.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { intent } from "#core/db/schema/intents.ts";
import { reconciliationRun, type Seal } from "#core/db/schema/reconciliation-runs.ts";
import type { OrderId } from "#core/ids.ts";
import { indexerSnapshotFields, joinIndexerSnapshot } from "#core/indexer-state/indexer-snapshot.ts";
import type { Dependencies } from "./scope.ts";
import type { Stage } from "./stage.ts";
import type { StoredRun } from "./stored-run.ts";

const ORDERS = 500;

/** Smallest units by token, as decimals. */
export type Amounts = Record<string, string>;

const o = alias(order, "o");
const w = alias(withdrawal, "w");

const isForeign = (deploymentId: number): SQL => sql`not exists (
  select from ${intent} where ${intent.id} = ${o.id} and ${intent.deploymentId} = ${deploymentId})`;

/** Returns SQL for the change in foreign orders' holdings, by token, in the blocks above `above` and up to `upTo`. */
export const selectForeignFlow = (deploymentId: number, above: number, upTo: SQL): SQL => {
  const within = (block: Column) => sql`${block} > ${above}::numeric and ${block} <= ${upTo}`;
  return sql`
    with changed as materialized (
      select ${o.id}, ${o.token}, ${o.amount}, ${o.createdBlock}, ${o.withdrawals} from ${order} o
      where ${o.updatedBlock} > ${above}::numeric and ${isForeign(deploymentId)})
    select token, sum(amount) as amount from (
      select ${o.token}, ${o.amount} from changed o where ${within(o.createdBlock)}
      union all
      select ${o.token}, -${refund.amount} from ${refund} join ${order} o on ${o.id} = ${refund.orderId}
        where ${within(refund.block)} and ${isForeign(deploymentId)}
      union all
      select ${o.token}, -${settlement.amount} from ${settlement} join ${order} o on ${o.id} = ${settlement.orderId}
        where ${within(settlement.block)} and ${isForeign(deploymentId)}
      union all
      -- Withdrawals have no index by block: those of each changed order, by itself.
      select ${o.token}, -${w.amount} from changed o cross join lateral (
        select * from ${withdrawal} w where ${w.orderId} = ${o.id} offset 0) w
      where ${o.withdrawals} > 0 and ${within(w.block)}
    ) f group by 1`;
};

export const addAmounts = (...all: Amounts[]): Amounts => {
  const sums = new Map<string, bigint>();
  for (const [token, amount] of all.flatMap((amounts) => Object.entries(amounts))) {
    sums.set(token, (sums.get(token) ?? 0n) + BigInt(amount));
  }
  return Object.fromEntries([...sums].map(([token, amount]) => [token, amount.toString()]));
};

/** Reads the indexer's tables. Throws if they are not current. */
async function readChain<T>(
  { database, guard, deployment: current }: Dependencies,
  found: SQL<T>,
): Promise<T> {
  const [row] = await joinIndexerSnapshot(
    database.select({ snapshot: indexerSnapshotFields, found }).from(deployment).$dynamic(),
  ).where(eq(deployment.id, current.id));
  if (!row) throw new Error("The deployment is not in the database.");
  await guard(row.snapshot);
  return row.found;
}

const toObject = (rows: SQL): SQL =>
  sql`coalesce((select json_object_agg(${hexText(sql`a.token`)}, a.amount::text) from (${rows}) a), '{}')`;

/** Computes the holdings of foreign orders at the target block of an incremental run. */
export const advanceForeign = async (parts: Dependencies, known: Amounts, above: number, upTo: number) =>
  addAmounts(
    known,
    await readChain<Amounts>(
      parts,
      sql<Amounts>`${toObject(selectForeignFlow(parts.deployment.id, above, sql`${upTo}::numeric`))}`,
    ),
  );

type Cursor = { after: string; sums: Amounts };

/** Returns SQL for the holdings of a page of foreign orders at a block. */
const selectPage = (deploymentId: number, block: number): SQL => {
  const taken = (table: typeof refund | typeof settlement | typeof withdrawal) => sql`coalesce((
    select sum(${table.amount}) from ${table} where ${table.orderId} = ${o.id} and ${table.block} <= ${block}), 0)`;
  return sql`json_build_object(
    'count', (select count(*) from page), 'last', ${hexText(sql`(select id from page order by id desc limit 1)`)},
    'sums', ${toObject(sql`
      select ${o.token}, sum(${o.amount} - ${taken(refund)} - ${taken(settlement)} - ${taken(withdrawal)}) as amount
      from page o where ${o.createdBlock} <= ${block} and ${isForeign(deploymentId)} group by 1`)})`;
};

/** Sums the holdings of foreign orders at the run's target block, and stores them with the target. */
export const foreign: Stage = {
  name: "foreign",
  open({ parts, run }) {
    const { block } = run.target;
    return async (stored) => {
      const { after, sums } = (stored as Cursor | null) ?? { after: "", sums: {} };
      type Found = { count: number; last: string | null; sums: Amounts };
      const page = await readChain<Found>(
        parts,
        sql<Found>`(with page as (
          select * from ${order} where ${gt(order.id, after as OrderId)} order by ${order.id} limit ${ORDERS})
          select ${selectPage(parts.deployment.id, block)})`,
      );
      const total = addAmounts(sums, page.sums);
      if (page.count === ORDERS && page.last !== null) {
        return { found: [], cursor: { after: page.last, sums: total } };
      }
      return { found: [], cursor: null, write: (tx) => keepForeign(tx, run, total) };
    };
  },
};

/** Stores the amounts in the run's target, in the database and in memory. */
export async function keepForeign(
  tx: Pick<Dependencies["database"], "update">,
  run: StoredRun,
  amounts: Amounts,
): Promise<void> {
  const target: Seal = { ...run.target, foreign: amounts };
  await tx.update(reconciliationRun).set({ target }).where(eq(reconciliationRun.id, run.id));
  run.target = target;
}
