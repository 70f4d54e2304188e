// The holdings of orders that this gateway did not create, because anyone may use the contract. Those up to a seal's
// block are summed in pages; later changes in one statement, because they are few.
import { eq, type SQL, sql } from "drizzle-orm";
import { indexerSnapshotFields, joinIndexerSnapshot } from "#core/db/indexer-snapshot.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { reconciliationRun, type Seal } from "#core/db/schema/reconciliation-runs.ts";
import type { Parts } from "./scope.ts";
import type { Stage } from "./stage.ts";
import type { StoredRun } from "./stored-run.ts";

const ORDERS = 500;

/** Smallest units by token, as decimals. */
export type Amounts = Record<string, string>;

const isForeign = (deploymentId: string): SQL => sql`not exists (
  select from gateway.intent i where i.order_id = o.id and i.deployment_id = ${deploymentId})`;

/** SQL of the gain of foreign orders, by token, in the blocks above one up to another. */
export const selectForeignFlow = (deploymentId: string, above: number, upTo: SQL): SQL => {
  const within = (block: SQL) => sql`${block} > ${above}::numeric and ${block} <= ${upTo}`;
  return sql`
    with changed as materialized (
      select o.id, o.token, o.amount, o.created_block, o.withdrawals from chain."order" o
      where o.updated_block > ${above}::numeric and ${isForeign(deploymentId)})
    select token, sum(amount) as amount from (
      select o.token, o.amount from changed o where ${within(sql`o.created_block`)}
      union all
      select o.token, -r.amount from chain.refund r join chain."order" o on o.id = r.order_id
        where ${within(sql`r.block`)} and ${isForeign(deploymentId)}
      union all
      select o.token, -s.amount from chain.settlement s join chain."order" o on o.id = s.order_id
        where ${within(sql`s.block`)} and ${isForeign(deploymentId)}
      union all
      -- Withdrawals have no index by block: those of each changed order, by itself.
      select o.token, -w.amount from changed o cross join lateral (
        select * from chain.withdrawal w where w.order_id = o.id offset 0) w
      where o.withdrawals > 0 and ${within(sql`w.block`)}
    ) f group by 1`;
};

export const addAmounts = (...all: Amounts[]): Amounts => {
  const sums = new Map<string, bigint>();
  for (const [token, amount] of all.flatMap((amounts) => Object.entries(amounts))) {
    sums.set(token, (sums.get(token) ?? 0n) + BigInt(amount));
  }
  return Object.fromEntries([...sums].map(([token, amount]) => [token, amount.toString()]));
};

/** Reads the indexer's tables, if they are current. */
async function readChain<T>({ database, guard, deployment: current }: Parts, found: SQL<T>): Promise<T> {
  const [row] = await joinIndexerSnapshot(
    database.select({ snapshot: indexerSnapshotFields, found }).from(deployment).$dynamic(),
  ).where(eq(deployment.id, current.id));
  if (!row) throw new Error("The deployment is not in the database.");
  await guard(row.snapshot);
  return row.found;
}

const toObject = (rows: SQL): SQL =>
  sql`coalesce((select json_object_agg(a.token, a.amount::text) from (${rows}) a), '{}')`;

/** In an incremental run: the holdings of foreign orders at the target block. */
export const advanceForeign = async (parts: Parts, known: Amounts, above: number, upTo: number) =>
  addAmounts(
    known,
    await readChain<Amounts>(
      parts,
      sql<Amounts>`${toObject(selectForeignFlow(parts.deployment.id, above, sql`${upTo}::numeric`))}`,
    ),
  );

type Cursor = { after: string; sums: Amounts };

/** SQL of the holdings of a page of foreign orders at a block. */
const selectPage = (deploymentId: string, block: number): SQL => {
  const taken = (table: SQL) => sql`coalesce((
    select sum(t.amount) from ${table} t where t.order_id = o.id and t.block <= ${block}), 0)`;
  return sql`json_build_object(
    'count', (select count(*) from page), 'last', (select max(id) from page),
    'sums', ${toObject(sql`
      select o.token, sum(o.amount - ${taken(sql`chain.refund`)} - ${taken(sql`chain.settlement`)}
        - ${taken(sql`chain.withdrawal`)}) as amount
      from page o where o.created_block <= ${block} and ${isForeign(deploymentId)} group by 1`)})`;
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
          select * from chain."order" where id > ${after} order by id limit ${ORDERS})
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

/** Stores the amounts with the run's target, in this process and in the database. */
export async function keepForeign(
  tx: Pick<Parts["database"], "update">,
  run: StoredRun,
  amounts: Amounts,
): Promise<void> {
  const target: Seal = { ...run.target, foreign: amounts };
  await tx.update(reconciliationRun).set({ target }).where(eq(reconciliationRun.id, run.id));
  run.target = target;
}
