// The safety net: derives the work of every open order again, page by page, and adds what is missing. It should find
// nothing; what it finds is counted.
import { eq, sql } from "drizzle-orm";
import type { Head } from "#core/db/guard.ts";
import {
  indexedBlock,
  indexedTime,
  indexerSnapshotFields,
  joinIndexerSnapshot,
} from "#core/db/indexer-snapshot.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { addMissingWork, type Work } from "#core/work/schedule-work.ts";
import type { Context } from "./context.ts";
import { deriveWork } from "./derive-work.ts";
import { FACTS, type Found, restoreFacts, rulesOf } from "./order-facts.ts";

/** Intents read at a time. */
const PAGE = 250;

const isDue = ({ clock, due }: Work, head: Head): boolean =>
  clock === "block" ? due <= head.block : clock === "time" && due <= head.timestamp;

/** Of open intents, and of canceled ones whose order the operator can still send back. */
const createQuery = ({ reads, deployment: current }: Pick<Context, "reads" | "deployment">) =>
  joinIndexerSnapshot(
    reads
      .select({
        snapshot: indexerSnapshotFields,
        head: { block: indexedBlock.mapWith(Number), timestamp: indexedTime.mapWith(Number) },
        found: sql<{ id: string; facts: Found | null }[]>`(
          select coalesce(json_agg(json_build_object('id', i.id, 'facts', case when o.id is not null and (
              i.last_emitted_status <> 'CANCELED' or (i.canceled_at is not null and o.status in (0, 1, 2) and not o.proven))
            then ${FACTS} end) order by i.id), '[]')
          from (
            select * from gateway.intent where deployment_id = ${deployment.id} and id > ${sql.placeholder("after")}
              and (last_emitted_status not in ('FINAL', 'CANCELED'))
            order by id limit ${sql.raw(String(PAGE))}) i
          left join chain."order" o on o.id = i.order_id)`,
      })
      .from(deployment)
      .$dynamic(),
  )
    .where(eq(deployment.id, current.id))
    .prepare("scan_orders");

/**
 * @param pause comes before each page
 * @returns scans everything; gives the number of items that were due and missing
 */
export function createScan(
  context: Pick<Context, "database" | "reads" | "deployment" | "guard" | "config" | "relayer">,
  pause: () => Promise<void> = async () => undefined,
): (stopping?: AbortSignal) => Promise<number> {
  const { database, guard, deployment: current } = context;
  const rules = rulesOf(context);
  const query = createQuery(context);

  return async (stopping) => {
    let repaired = 0;
    for (let after: string | undefined = ""; after !== undefined; ) {
      await pause();
      if (stopping?.aborted) break;
      const [row] = await query.execute({ after });
      if (!row) throw new Error("The deployment is missing.");
      await guard(row.snapshot);
      const work = row.found.flatMap(({ facts }) => (facts ? deriveWork(restoreFacts(facts), rules) : []));
      repaired += await addMissingWork(
        database,
        current.id,
        work.filter((one) => isDue(one, row.head)),
      );
      after = row.found.length < PAGE ? undefined : row.found.at(-1)?.id;
    }
    return repaired;
  };
}
