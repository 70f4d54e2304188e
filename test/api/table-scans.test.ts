// With many payments in the tables no operation reads a full one: PostgreSQL counts how often it did.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { fillTables } from "#scripts/bench/fill-tables.ts";
import { createPayment, operations, type Payment, send } from "#scripts/bench/operations.ts";
import { type Stack, startStack } from "#test/support/stack.ts";
import { tableReads } from "#test/support/table-reads.ts";

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

test("no operation reads a table from end to end, nor an index", async () => {
  const before = await tableReads(stack.databaseUrl, PAYMENTS);
  expect(Object.keys(before)).toEqual(["audit_log", "event", "intent", "search_term", "work_item"]);
  for (const operation of operations(created)) await send(stack.baseUrl, apiKey(), operation);
  await stack.restart("api");
  for (const [table, after] of Object.entries(await tableReads(stack.databaseUrl, PAYMENTS))) {
    const { scans = 0, rows = 0 } = before[table] ?? {};
    expect({ table, scans: after.scans }).toEqual({ table, scans });
    expect(after.rows - rows).toBeLessThan(PAYMENTS / 10);
  }
});
