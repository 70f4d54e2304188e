// With many payments in the tables no operation reads the whole of one: PostgreSQL counts how often it did.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Client } from "pg";
import { fillTables } from "#scripts/bench/fill-tables.ts";
import { createPayment, operations, type Payment, send } from "#scripts/bench/operations.ts";
import { type Stack, startStack } from "#test/support/stack.ts";

const PAYMENTS = 20_000;

let stack: Stack;
let created: Payment;

beforeAll(async () => {
  stack = await startStack({ roles: ["indexer", "api"] });
  created = await createPayment(stack.baseUrl, apiKey());
  await fillTables(stack.databaseUrl, created.id, { to: PAYMENTS });
});

afterAll(() => stack?.stop());

const apiKey = () => stack.merchants[0]?.apiKey ?? "";

type Reads = { scans: number; rows: number };

/** What was read of each table with more than a few rows. A session's counts are in when it has ended. */
async function reads(): Promise<Record<string, Reads>> {
  const client = new Client({ connectionString: stack.databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; scans: string; rows: string }>(
      `select relname as name, seq_scan as scans, coalesce(idx_tup_fetch, 0) as rows from pg_stat_user_tables
       where schemaname = 'gateway' and n_live_tup >= $1 order by relname`,
      [PAYMENTS],
    );
    return Object.fromEntries(
      rows.map(({ name, ...row }) => [name, { scans: Number(row.scans), rows: Number(row.rows) }]),
    );
  } finally {
    await client.end();
  }
}

test("no operation reads a table from end to end, nor an index", async () => {
  const before = await reads();
  expect(Object.keys(before)).toEqual(["audit_log", "event", "intent"]);
  for (const operation of operations(created)) await send(stack.baseUrl, apiKey(), operation);
  await stack.restart("api");
  for (const [table, after] of Object.entries(await reads())) {
    const { scans = 0, rows = 0 } = before[table] ?? {};
    expect({ table, scans: after.scans }).toEqual({ table, scans });
    expect(after.rows - rows).toBeLessThan(PAYMENTS / 10);
  }
});
