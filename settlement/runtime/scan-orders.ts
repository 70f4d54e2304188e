// Safety net: derives the work of every open order again, page by page, and adds missing items. The scan should find
// nothing; items that it finds are counted (scan-pages.ts).
import { eq, type SQL, sql } from "drizzle-orm";
import { OPEN_STATUSES } from "#core/chain/terms.ts";
import { intentIdText } from "#core/db/as-text.ts";
import * as chain from "#core/db/chain.ts";
import { isAmong } from "#core/db/is-among.ts";
import { hasStatus } from "#core/db/order-statuses.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { intent } from "#core/db/schema/intents.ts";
import { ledgerPosting } from "#core/db/schema/ledger.ts";
import { workItem } from "#core/db/schema/work.ts";
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
import {
  createPageScan,
  type Scan,
  type ScanOptions,
  type ScanPosition,
  type ScanSource,
} from "./scan-pages.ts";

/** Number of intents per page. */
const PAGE = 100;

const isDue = ({ clock, due }: Work, head: Head): boolean =>
  clock === "block" ? due <= head.block : clock === "time" && due <= head.timestamp;

type Row = ScanPosition & { facts: Found | null; head: Head };
/** The due work of an intent's order for which there is no item. */
type Missing = { id: string; work: Work[] };

const keyOf = ({ orderId, purpose }: Pick<Work, "orderId" | "purpose">) => `${orderId} ${purpose}`;
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

/** Some intents, to read them again. */
const AGAIN = sql`
  select *, null::timestamptz as place from ${intent}
  where ${intent.deploymentId} = ${deployment.id} and ${isAmong(intent.id, sql.placeholder("ids"))}`;

function createQuery(
  { reads, guard, deployment: current }: Pick<Context, "reads" | "guard" | "deployment">,
  name: string,
  source: SQL,
): (values: ScanPosition | { ids: string[] }) => Promise<Row[]> {
  const query = joinIndexerSnapshot(
    reads
      .select({
        snapshot: indexerSnapshotFields,
        head: { block: indexedBlock.mapWith(Number), timestamp: indexedTime.mapWith(Number) },
        found: sql<Omit<Row, "head">[]>`(
          select coalesce(json_agg(json_build_object('after', coalesce(i.place::text, ''), 'id', ${intentIdText(i.id)},
            'facts', case when ${o.id} is not null and (
              ${i.endedAs} is distinct from 'CANCELED' or (${hasStatus(o.status, ...OPEN_STATUSES)} and not ${o.proven})) then ${FACTS} end)
            order by i.place, ${i.id}), '[]')
          from (${source} limit ${sql.raw(String(PAGE))}) i
          left join ${chain.order} o on ${o.id} = ${i.id})`,
      })
      .from(deployment)
      .$dynamic(),
  )
    .where(eq(deployment.id, current.id))
    .prepare(`scan_orders_${name}`);
  return async (values) => {
    const [row] = await query.execute(values);
    if (!row) throw new Error("The deployment is not in the database.");
    await guard(row.snapshot);
    return row.found.map((one) => ({ ...one, head: row.head }));
  };
}

/** Creates the scan. It counts work that was due but had no item, although the order's facts were read twice. */
export function createScan(
  context: Pick<Context, "database" | "reads" | "deployment" | "guard" | "config" | "relayer" | "log">,
  options?: ScanOptions,
): Scan {
  const { database, reads, deployment: current } = context;
  const rules = buildRules(context);
  const readAgain = createQuery(context, "again", AGAIN);
  const readItems = reads
    .select({ orderId: workItem.orderId, purpose: workItem.purpose })
    .from(workItem)
    .where(isAmong(workItem.orderId, sql.placeholder("orderIds")))
    .prepare("scan_items");

  const deriveDue = ({ facts, head }: Row): Work[] =>
    facts ? deriveWork(restoreFacts(facts), rules).filter((one) => isDue(one, head)) : [];

  async function findMissing(rows: readonly Row[]): Promise<Missing[]> {
    const due = rows
      .map((row) => ({ id: row.id, work: deriveDue(row) }))
      .filter(({ work }) => work.length > 0);
    if (due.length === 0) return [];
    const orderIds = due.flatMap(({ work }) => work[0]?.orderId ?? []);
    const items = new Set((await readItems.execute({ orderIds })).map(keyOf));
    return due
      .map(({ id, work }) => ({ id, work: work.filter((one) => !items.has(keyOf(one))) }))
      .filter(({ work }) => work.length > 0);
  }

  async function repair(missing: readonly Missing[]): Promise<number> {
    const first = new Set(missing.flatMap(({ work }) => work.map(keyOf)));
    const rows = await readAgain({ ids: missing.map(({ id }) => id) });
    const still = rows.flatMap(deriveDue).filter((one) => first.has(keyOf(one)));
    return addMissingWork(database, current.id, still, { derived: true });
  }

  const sources = Object.entries(SOURCES).map(
    ([name, source]): ScanSource<Row, Missing> => ({
      pageSize: PAGE,
      read: createQuery(context, name, source),
      findMissing,
      repair,
    }),
  );
  return createPageScan(context.log, sources, options);
}
