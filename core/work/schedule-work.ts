// Schedules work for orders, in the transaction that makes it due.
import { type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "../db/client.ts";
import type { WorkClock, WorkPurpose } from "../db/schema/work.ts";
import type { OrderId } from "../ids.ts";

export type Due = { clock: WorkClock; due: number };

/** In the past for every clock. */
export const NOW: Due = { clock: "wall", due: 0 };

export type Work = Due & { orderId: OrderId; merchantId: string; purpose: WorkPurpose };

type Writer = Pick<Database | Transaction, "execute">;

/** The same order for every caller, so that concurrent inserts of the same items do not deadlock. */
const insertWork = (deploymentId: string, work: readonly Work[], derived: boolean): SQL => sql`
  insert into gateway.work_item as w (deployment_id, merchant_id, order_id, purpose, clock, due, derived)
  select ${deploymentId}, k."merchantId", k."orderId", k.purpose, k.clock, k.due, ${derived}::boolean
  from json_to_recordset(${JSON.stringify(work)}::json)
    as k ("merchantId" text, "orderId" text, purpose text, clock text, due bigint)
  order by k."orderId", k.purpose`;

async function upsertWork(
  database: Writer,
  deploymentId: string,
  work: readonly Work[],
  derived: boolean,
): Promise<void> {
  if (work.length === 0) return;
  // Work that is not derived from the chain stays when the chain changes, because its reason is elsewhere.
  await database.execute(sql`${insertWork(deploymentId, work, derived)}
    on conflict (order_id, purpose, merchant_id) do update set
      clock = excluded.clock, due = excluded.due, leased_until = null, derived = w.derived and excluded.derived,
      revision = w.revision + 1, attempts = 0, last_error = null`);
}

/** Adds the items, or makes existing ones due at their new time: immediately if they wait for a retry. */
export const scheduleWork = (database: Writer, deploymentId: string, work: readonly Work[]): Promise<void> =>
  upsertWork(database, deploymentId, work, false);

/** Like scheduleWork, for work that is derived only from on-chain facts. */
export const scheduleDerivedWork = (
  database: Writer,
  deploymentId: string,
  work: readonly Work[],
): Promise<void> => upsertWork(database, deploymentId, work, true);

/** Adds items that do not exist, and leaves others unchanged. @returns the number of new items */
export async function addMissingWork(
  database: Writer,
  deploymentId: string,
  work: readonly Work[],
  { derived }: { derived: boolean },
): Promise<number> {
  if (work.length === 0) return 0;
  const { rowCount } = await database.execute(
    sql`${insertWork(deploymentId, work, derived)} on conflict do nothing`,
  );
  return rowCount ?? 0;
}
