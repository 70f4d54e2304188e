// Schedules work for orders, in the transaction that makes it due.
import { type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "../db/client.ts";
import { columnNames } from "../db/column-names.ts";
import { insertMany } from "../db/insert-many.ts";
import { type WorkClock, type WorkPurpose, workItem } from "../db/schema/work.ts";
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

const names = columnNames(workItem);

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
  // Work that is not derived from the chain stays when the chain changes, because the chain is not the reason for it.
  await database.execute(sql`${insertWork(deploymentId, work, derived)}
    on conflict (${names.orderId}, ${names.purpose}, ${names.merchantId}) do update set
      ${names.clock} = excluded.${names.clock}, ${names.due} = excluded.${names.due}, ${names.leasedUntil} = null,
      ${names.derived} = ${workItem.derived} and excluded.${names.derived}, ${names.revision} = ${workItem.revision} + 1,
      ${names.attempts} = 0, ${names.lastError} = null`);
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
