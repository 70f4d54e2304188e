// The plan check for every statement (scripts/testing/statements) reports exactly the statements that read more
// rows than they return.
import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { Client } from "pg";
import { fillHistory } from "#scripts/testing/statements/fill-history.ts";
import { createScanFinder } from "#scripts/testing/statements/find-scans.ts";
import { testDatabase } from "#test/support/stack.ts";

let client: Client;
let findScans: Awaited<ReturnType<typeof createScanFinder>>;

beforeAll(async () => {
  client = new Client({ connectionString: await testDatabase(), application_name: "test" });
  await client.connect();
  await client.query(`
    create schema shop;
    create table shop.customer (id text primary key, merchant_id text not null, email text not null, notes jsonb);
    create table shop.purchase (
      id text primary key, customer_id text not null, merchant_id text not null, state text not null,
      price numeric not null check (price > 1000000), paid_at timestamptz, created_at timestamptz not null);
    create index on shop.purchase (customer_id);
    create index on shop.purchase (merchant_id);
    create index on shop.purchase (created_at, id);
    create index purchase_open on shop.purchase (id) where state <> 'closed';
    create table shop.currency (code text primary key)`);
  const leaveOut = (table: string) => table === "currency";
  await fillHistory(client, { schemas: ["shop"], leaveOut, rows: 2_000 });
  findScans = await createScanFinder(client);
});
afterAll(() => client?.end());

const problems = async (statement: string) =>
  (await findScans(statement)).map(({ table, problem }) => `${table}: ${problem}`);

describe("a statement is reported", () => {
  it.each([
    ["that has no index", "select * from shop.customer where email = $1", "customer: Seq Scan"],
    [
      "that changes rows without one",
      "update shop.customer set notes = $1 where email = $2",
      "customer: Seq Scan",
    ],
    ["that deletes rows without one", "delete from shop.purchase where paid_at < $1", "purchase: Seq Scan"],
    [
      "that joins without one",
      "select * from shop.purchase p join shop.customer c on c.email = p.id where p.id = $1",
      "customer: Seq Scan",
    ],
    [
      "that reads without one in a subquery of a change",
      "insert into shop.customer select $1, $2, $3 where not exists (select from shop.customer where email = $3)",
      "customer: Seq Scan",
    ],
    [
      "whose index leaves the work to a filter",
      "select * from shop.purchase where merchant_id = $1 and price = $2",
      "purchase: Index Scan of purchase_merchant_id_idx",
    ],
    [
      "whose filter may select a rare value",
      "select * from shop.purchase where created_at < $1 and state = $2",
      "purchase: Index Scan of",
    ],
    ["that counts all rows", "select count(*) from shop.purchase", "purchase: Index Only Scan of"],
    [
      "that orders all rows and filters them",
      "select * from shop.purchase where price = $1 order by created_at, id limit 1",
      "purchase: ",
    ],
  ])("%s", async (_, statement, problem) => {
    const found = await problems(statement);
    expect(found).toHaveLength(1);
    expect(found[0]).toStartWith(problem);
  });
});

describe("a statement passes", () => {
  it.each([
    ["that finds a row by its key", "select * from shop.customer where id = $1 and merchant_id = $2"],
    ["that inserts", "insert into shop.customer (id, merchant_id, email) values ($1, $2, $3)"],
    [
      "that joins by an index",
      "select * from shop.customer c join shop.purchase p on p.customer_id = c.id where c.id = $1",
    ],
    [
      "that pages through an index",
      "select * from shop.purchase where (created_at, id) > ($1, $2) order by created_at, id limit 20",
    ],
    ["that reads the first rows of an index", "select * from shop.purchase order by created_at, id limit 1"],
    [
      "that reads the few rows of a partial index",
      "select id from shop.purchase where state <> 'closed' and id > $1",
    ],
    ["that returns every row that its index finds", "select * from shop.purchase where merchant_id = $1"],
  ])("%s", async (_, statement) => {
    expect(await problems(statement)).toEqual([]);
  });
});

it("history is not in any partial index, and is not prevented by constraints or keys", async () => {
  const { rows } = await client.query(
    `select count(*)::int as all, (count(*) filter (where state <> 'closed'))::int as open,
       (select count(*)::int from shop.currency) as bounded from shop.purchase`,
  );
  expect(rows).toEqual([{ all: 2_000, open: 200, bounded: 0 }]);
});
