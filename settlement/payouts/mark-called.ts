// Records that a payout is about to be ordered, before each call: a payout without this record was provably never
// ordered. The statement also checks, in the database, that the lease is still held: a process may have been suspended.
import { sql } from "drizzle-orm";
import { together } from "#core/db/batch.ts";
import type { Database } from "#core/db/client.ts";
import { payout } from "#core/db/schema/payouts.ts";
import type { ClaimedPayout } from "./claim-payouts.ts";

type Called = Pick<ClaimedPayout, "id" | "leasedUntil">;

/** Returns a function that marks a claimed payout, and returns whether the lease is still held. */
export function createCallMark(database: Database): (row: Called) => Promise<boolean> {
  const mark = database
    .update(payout)
    .set({ calledAt: sql`coalesce(${payout.calledAt}, clock_timestamp())` })
    .from(sql`json_to_recordset(${sql.placeholder("rows")}) as k (id text, held timestamptz)`)
    .where(sql`${payout.id} = k.id and ${payout.leasedUntil} = k.held`)
    .returning({ id: payout.id })
    .prepare("mark_payouts_called");
  return together(async (rows: readonly Called[]) => {
    const held = rows.map(({ id, leasedUntil }) => ({ id, held: leasedUntil }));
    const marked = await mark.execute({ rows: JSON.stringify(held) });
    const ids = new Set(marked.map(({ id }) => id));
    return rows.map(({ id }) => ids.has(id));
  });
}
