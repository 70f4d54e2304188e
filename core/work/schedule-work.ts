// Schedules work for orders, in the transaction that makes it due.
import { type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "../db/client.ts";
import { insertMany } from "../db/insert-many.ts";
import { type WorkClock, type WorkPurpose, workItem } from "../db/schema/work.ts";
import { toStoredForm } from "../db/stored-form.ts";
import type { OrderId } from "../ids.ts";

export type Due = { clock: WorkClock; due: number };

/** A time that is in the past for every clock. */
export const NOW: Due = { clock: "wall", due: 0 };

export type Work = Due & { orderId: OrderId; merchantId: string; purpose: WorkPurpose };

type Writer = Pick<Database | Transaction, "execute">;

const insertItems = insertMany(workItem, [
  "deploymentId",
  "merchantId",
  "orderId",
  "purpose",
  "clock",
  "due",
  "derived",
]);

/** Inserts items in the same order for every caller, so that concurrent inserts of the same items do not deadlock. */
const insertWork = (deploymentId: number, work: readonly Work[], derived: boolean): SQL =>
  sql`${insertItems(work.map((item) => ({ ...item, deploymentId, derived })))} order by "orderId", purpose`;

async function upsertWork(
  database: Writer,
  deploymentId: number,
  work: readonly Work[],
  derived: boolean,
): Promise<void> {
  if (work.length === 0) return;
  const items = JSON.stringify(work.map(toStoredForm(workItem)));
  // Work that is not derived from the chain stays when the chain changes, because the chain is not the reason for it.
  await database.execute(
    sql`select gateway.schedule_items(${deploymentId}::int, ${items}::json, ${derived}::boolean)`,
  );
}

/**
 * Adds the items, or moves existing ones to their new due time. Items that wait for a retry become due at that time,
 * too.
 */
export const scheduleWork = (database: Writer, deploymentId: number, work: readonly Work[]): Promise<void> =>
  upsertWork(database, deploymentId, work, false);

/** Like scheduleWork, for work that is derived only from on-chain facts. */
export const scheduleDerivedWork = (
  database: Writer,
  deploymentId: number,
  work: readonly Work[],
): Promise<void> => upsertWork(database, deploymentId, work, true);

/** Adds items that do not exist, and leaves existing ones unchanged. @returns the number of new items */
export async function addMissingWork(
  database: Writer,
  deploymentId: number,
  work: readonly Work[],
  { derived }: { derived: boolean },
): Promise<number> {
  if (work.length === 0) return 0;
  const { rowCount } = await database.execute(
    sql`${insertWork(deploymentId, work, derived)} on conflict do nothing`,
  );
  return rowCount ?? 0;
}
