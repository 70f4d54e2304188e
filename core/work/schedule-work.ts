// Schedules work for orders, in the transaction of whatever makes it due.
import { type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "../db/client.ts";
import type { WorkClock, WorkPurpose } from "../db/schema/work.ts";
import type { OrderId } from "../ids.ts";

export type Due = { clock: WorkClock; due: number };

/** Now, by every clock. */
export const NOW: Due = { clock: "wall", due: 0 };

export type Work = Due & { orderId: OrderId; merchantId: string; purpose: WorkPurpose };

/** In one order for everybody: two that insert the same items do not wait for each other in a circle. */
const insertWork = (deploymentId: string, work: readonly Work[]): SQL => sql`
  insert into gateway.work_item as w (deployment_id, merchant_id, order_id, purpose, clock, due)
  select ${deploymentId}, k."merchantId", k."orderId", k.purpose, k.clock, k.due
  from json_to_recordset(${JSON.stringify(work)}::json)
    as k ("merchantId" text, "orderId" text, purpose text, clock text, due bigint)
  order by k."orderId", k.purpose`;

/**
 * Adds the items, or makes those that exist due at their new moment: at once where they wait to be retried. One that
 * waits by the same clock for an earlier moment keeps it, because the worker decides by the facts that it finds then.
 */
export async function scheduleWork(
  database: Pick<Database | Transaction, "execute">,
  deploymentId: string,
  work: readonly Work[],
): Promise<void> {
  if (work.length === 0) return;
  await database.execute(sql`${insertWork(deploymentId, work)}
    on conflict (order_id, purpose, merchant_id) do update set
      clock = excluded.clock,
      due = case when w.clock = excluded.clock and w.attempts = 0 then least(w.due, excluded.due) else excluded.due end,
      revision = w.revision + 1, attempts = 0, last_error = null`);
}

/** As scheduleWork, of items that do not exist. @returns how many those are */
export async function addMissingWork(
  database: Pick<Database | Transaction, "execute">,
  deploymentId: string,
  work: readonly Work[],
): Promise<number> {
  if (work.length === 0) return 0;
  const { rowCount } = await database.execute(sql`${insertWork(deploymentId, work)} on conflict do nothing`);
  return rowCount ?? 0;
}
