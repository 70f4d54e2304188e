// The gullible bank with a list of transfers. A test can set their outcomes.
import { sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import type { OffRamp, Transfer } from "#settlement/off-ramp/off-ramp.ts";
import { gullibleBank } from "./gullible-bank.ts";

export type Ended = Partial<Pick<Transfer, "state" | "fee" | "refunded" | "failure">>;

/** @param ended the outcomes of transfers by reference; other transfers are completed */
export function listingBank(database: Database, ended: Map<string, Ended>): OffRamp {
  const bank = gullibleBank(database);
  const lookUp = async (reference: string) => {
    const transfer = await bank.lookUp(reference);
    return transfer && { ...transfer, ...ended.get(reference) };
  };
  return {
    ...bank,
    lookUpAfterMs: 0,
    lookUp,
    async *transfers({ since, after = "" }) {
      const { rows } = await database.execute<{ reference: string }>(sql`
        select reference from public.bank_book where at >= ${since.toISOString()}::timestamptz and id > ${after} order by id`);
      for (const { reference } of rows) {
        const transfer = await lookUp(reference);
        if (transfer) yield transfer;
      }
    },
  };
}
