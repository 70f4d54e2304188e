// Records that a payout is about to be ordered, before each call: a payout without this record was provably never
// ordered. The statement also checks, in the database, that the lease is still held: a process may have been suspended.
import { together } from "#core/db/batch.ts";
import type { Database } from "#core/db/client.ts";
import type { ClaimedPayout } from "./claim-payouts.ts";

type Called = Pick<ClaimedPayout, "id" | "leasedUntil">;

/** Returns a function that marks a claimed payout, and returns whether the lease is still held. */
export const createCallMark = (database: Database): ((row: Called) => Promise<boolean>) =>
  together(async (rows: readonly Called[]) => {
    const { rows: marked } = await database.$client.query<{ id: string }>({
      name: "mark_payouts_called",
      text: `update gateway.payout p set called_at = coalesce(p.called_at, clock_timestamp())
        from json_to_recordset($1) as k (id text, held timestamptz)
        where p.id = k.id and p.leased_until = k.held returning p.id`,
      values: [JSON.stringify(rows.map(({ id, leasedUntil: held }) => ({ id, held })))],
    });
    const ids = new Set(marked.map(({ id }) => id));
    return rows.map(({ id }) => ids.has(id));
  });
