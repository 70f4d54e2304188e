// A bank without any checks: it pays every order, and pays twice if a payout is ordered twice. If a payout is paid only
// once, the gateway has ensured it.
import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import type { Currency } from "#core/money.ts";
import type { OffRamp, Transfer } from "#settlement/off-ramp/off-ramp.ts";

type Row = { id: string; reference: string; amount: string; currency: Currency; at: Date };

const transferOf = (row: Row): Transfer => ({
  providerId: row.id,
  reference: row.reference,
  amount: BigInt(row.amount),
  fee: 0n,
  currency: row.currency,
  state: "completed",
  createdAt: new Date(row.at),
  completedAt: new Date(row.at),
  failure: null,
  nextPollAt: null,
});

export const openBook = (database: Database) =>
  database.execute(sql`create table if not exists public.bank_book (
    id text primary key, reference text not null, amount numeric not null, currency text not null,
    at timestamptz not null default clock_timestamp())`);

/** Returns how often each reference was paid. */
export async function paidTimes(database: Database): Promise<Map<string, number>> {
  const { rows } = await database.execute<{ reference: string; times: number }>(
    sql`select reference, count(*)::int as times from public.bank_book group by reference`,
  );
  return new Map(rows.map((row) => [row.reference, row.times]));
}

/** Operations that no test uses. */
const never = (): never => {
  throw new Error("The gullible bank does not do that.");
};

export const gullibleBank = (database: Database): OffRamp => ({
  account: "gullible",
  hasWallets: false,
  atOnce: 100,
  lookUpAfterMs: 200,
  quote: never,
  cancel: never,
  transfers: never,
  async lookUp(reference) {
    const { rows } = await database.execute<Row>(
      sql`select * from public.bank_book where reference = ${reference} limit 1`,
    );
    return rows[0] && transferOf(rows[0]);
  },
  async create({ reference, amount, currency }) {
    const { rows } = await database.execute<Row>(
      sql`insert into public.bank_book (id, reference, amount, currency)
        values (${randomUUID()}, ${reference}, ${amount}, ${currency}) returning *`,
    );
    if (!rows[0]) throw new Error("The bank has no book.");
    return transferOf(rows[0]);
  },
});
