import { afterAll, beforeAll, it } from "bun:test";
import { expect } from "chai";
import { sql } from "drizzle-orm";
import { type Payments, startPayments } from "./support/payments.ts";

let payments: Payments;

beforeAll(async () => {
  payments = await startPayments();
});
afterAll(() => payments.close());

it("settlement continues in the same process after the database has closed all of its connections", async () => {
  const { database } = payments;
  const { id, terms } = await payments.addIntent();
  await payments.fund(terms);
  await payments.reaches(id, "SUCCEEDED");
  const { rows } = await database.execute<{ name: string }>(sql`
    select application_name as name, pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name ~ '^(settlement|mock-bank)'`);
  const ended = new Set(rows.map((row) => row.name));
  expect([...ended]).to.include.members(["settlement", "settlement-jobs", "settlement-listener"]);
  await payments.release(terms);
  await payments.reaches(id, "SETTLED", 60_000);
  expect(await payments.transfers()).to.equal(1);
}, 90_000);
