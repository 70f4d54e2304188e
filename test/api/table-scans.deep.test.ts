// With many payments in the tables, no operation scans a full table, according to PostgreSQL's statistics.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { INTENT_STATUSES } from "#core/model/intent-status.ts";
import { MERCHANT_STATUSES } from "#core/model/merchant-status.ts";
import { FILL_TABLES, fillTables } from "#scripts/bench/fill-tables.ts";
import { createPayment, operations, type Payment, send } from "#scripts/bench/shared/operations.ts";
import { type Stack, startStack } from "#test/support/stack.ts";
import { endSessions, sessionsEnded, tableReads } from "#test/support/table-reads.ts";

const PAYMENTS = 20_000;

let stack: Stack;
let created: Payment;

/**
 * Returns the number of rows read so far. Ends the API's database sessions, because each one reports its statistics on
 * exit.
 */
async function readsSoFar() {
  await endSessions(stack.databaseUrl, "api", () => stack.restart("api"));
  return tableReads(stack.databaseUrl, PAYMENTS);
}

beforeAll(async () => {
  stack = await startStack({ roles: ["indexer", "api"] });
  created = await createPayment(stack.baseUrl, apiKey());
  await fillTables(stack.databaseUrl, created.id, { to: PAYMENTS });
  await sessionsEnded(stack.databaseUrl, [FILL_TABLES]);
  // Discards the reads of the tables' first rows.
  await readsSoFar();
});

afterAll(() => stack?.stop());

const apiKey = () => stack.merchants[0]?.apiKey ?? "";

test("no operation scans a full table or index", async () => {
  const before = await tableReads(stack.databaseUrl, PAYMENTS);
  expect(Object.keys(before)).toEqual([
    ...["audit_log", "event", "intent", "intent_by_status", "search_term", "work_item"],
  ]);
  for (const operation of operations(created)) await send(stack.baseUrl, apiKey(), operation);
  for (const [table, after] of Object.entries(await readsSoFar())) {
    const { scans = 0, rows = 0 } = before[table] ?? {};
    expect({ table, scans: after.scans }).toEqual({ table, scans });
    expect(after.rows - rows).toBeLessThan(PAYMENTS / 10);
  }
});

test("all lists by status together read less than a tenth of the payments' rows", async () => {
  const before = await tableReads(stack.databaseUrl, PAYMENTS);
  const queries = [
    ...INTENT_STATUSES.map((status) => `status=${status}`),
    ...MERCHANT_STATUSES.map((status) => `merchantStatus=${status}`),
  ];
  let shown = 0;
  for (const name of queries) {
    const path = `/payment-intents?${name}`;
    const { data } = (await send(stack.baseUrl, apiKey(), { name, method: "GET", path })) as {
      data: unknown[];
    };
    shown += data.length;
  }
  const after = await readsSoFar();
  const rows = (after.intent?.rows ?? 0) - (before.intent?.rows ?? 0);
  expect(shown).toBeGreaterThan(40);
  expect(rows).toBeLessThan(PAYMENTS / 10);
});
