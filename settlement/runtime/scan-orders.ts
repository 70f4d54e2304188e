// Safety net: derives the work of every open order again, page by page, and adds missing items. The scan should find
// nothing; items that it finds are counted.
import { eq, sql } from "drizzle-orm";
import { OPEN_STATUSES } from "#core/chain/terms.ts";
import { intentIdText } from "#core/db/as-text.ts";
import * as chain from "#core/db/chain.ts";
import { hasStatus } from "#core/db/order-statuses.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { intent } from "#core/db/schema/intents.ts";
import { ledgerPosting } from "#core/db/schema/ledger.ts";
import type { Head } from "#core/indexer-state/guard.ts";
import {
  indexedBlock,
  indexedTime,
  indexerSnapshotFields,
  joinIndexerSnapshot,
} from "#core/indexer-state/indexer-snapshot.ts";
import { addMissingWork, type Work } from "#core/work/schedule-work.ts";
import type { Context } from "./context.ts";
import { deriveWork } from "./derive-work.ts";
import { buildRules, FACTS, type Found, i, o, restoreFacts } from "./order-facts.ts";

/** Number of intents per page. */
const PAGE = 100;

const isDue = ({ clock, due }: Work, head: Head): boolean =>
  clock === "block" ? due <= head.block : clock === "time" && due <= head.timestamp;

type ScanPosition = { after: string; id: string };
/** The empty id is before every other id. */
const START: ScanPosition = { after: "", id: "" };
const afterId = sql.param(sql.placeholder("id"), intent.id);

/** Intents whose orders can have work, each with its position (`after`, `id`) in the reading order. */
const SOURCES = {
  open: sql`
    select *, null::timestamptz as place from ${intent}
    where ${intent.deploymentId} = ${deployment.id} and ${intent.id} > ${afterId}
      and ${intent.endedAs} is null
    order by ${intent.id}`,
  // If one of these is funded after its cancellation, the funds are returned while the operator can do so. None is
  // funded after its deadline.
  canceled_by_merchant: sql`
    select *, ${intent.createdAt} as place from ${intent}
    where ${intent.deploymentId} = ${deployment.id} and ${intent.endedAs} = 'CANCELED'
      and ${intent.canceledAt} is not null and ${intent.createdAt} > now() - interval '30 days'
      and (${intent.createdAt}, ${intent.id})
        > (coalesce(nullif(${sql.placeholder("after")}, ''), '-infinity')::timestamptz, ${afterId})
    order by ${intent.createdAt}, ${intent.id}`,
  // Payments whose settlement a reorg removed after the bank had paid.
  lost: sql`
    select *, null::timestamptz as place from ${intent}
    where ${intent.deploymentId} = ${deployment.id} and ${intent.id} > ${afterId}
      and ${intent.endedAs} = 'FINAL' and ${intent.id} in (
        select ${ledgerPosting.intentId} from ${ledgerPosting}
        where ${ledgerPosting.deploymentId} = ${deployment.id} and ${ledgerPosting.kind} = 'lost')
    order by ${intent.id}`,
};

function createQuery(
  { reads, deployment: current }: Pick<Context, "reads" | "deployment">,
  source: keyof typeof SOURCES,
) {
  return joinIndexerSnapshot(
    reads
      .select({
        snapshot: indexerSnapshotFields,
        head: { block: indexedBlock.mapWith(Number), timestamp: indexedTime.mapWith(Number) },
        found: sql<{ after: string; id: string; facts: Found | null }[]>`(
          select coalesce(json_agg(json_build_object('after', coalesce(i.place::text, ''), 'id', ${intentIdText(i.id)},
            'facts', case when ${o.id} is not null and (
              ${i.endedAs} is distinct from 'CANCELED' or (${hasStatus(o.status, ...OPEN_STATUSES)} and not ${o.proven})) then ${FACTS} end)
            order by i.place, ${i.id}), '[]')
          from (${SOURCES[source]} limit ${sql.raw(String(PAGE))}) i
          left join ${chain.order} o on ${o.id} = ${i.id})`,
      })
      .from(deployment)
      .$dynamic(),
  )
    .where(eq(deployment.id, current.id))
    .prepare(`scan_orders_${source}`);
}

/**
 * @param pause called before each page
 * @returns a function that scans everything and returns the number of items that were due but missing
 */
export function createScan(
  context: Pick<Context, "database" | "reads" | "deployment" | "guard" | "config" | "relayer">,
  pause: (stopping?: AbortSignal) => Promise<void> = async () => undefined,
): (stopping?: AbortSignal) => Promise<number> {
  const { database, guard, deployment: current } = context;
  const rules = buildRules(context);
  const queries = Object.keys(SOURCES).map((source) => createQuery(context, source as keyof typeof SOURCES));

  async function scan(query: ReturnType<typeof createQuery>, stopping?: AbortSignal): Promise<number> {
    let repaired = 0;
    for (let place: ScanPosition | undefined = START; place; ) {
      await pause(stopping);
      if (stopping?.aborted) break;
      const [row] = await query.execute(place);
      if (!row) throw new Error("The deployment is not in the database.");
      await guard(row.snapshot);
      const work = row.found.flatMap(({ facts }) => (facts ? deriveWork(restoreFacts(facts), rules) : []));
      repaired += await addMissingWork(
        database,
        current.id,
        work.filter((one) => isDue(one, row.head)),
        { derived: true },
      );
      place = row.found.length < PAGE ? undefined : row.found.at(-1);
    }
    return repaired;
  }

  return async (stopping) => {
    let repaired = 0;
    for (const query of queries) repaired += await scan(query, stopping);
    return repaired;
  };
}
