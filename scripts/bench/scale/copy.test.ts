import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { Client } from "pg";
import { testDatabase } from "#test/support/stack.ts";
import { copies, type Slice } from "./copy.ts";
import type { Column, Table, Template } from "./templates.ts";

const CREATED_AT = "2026-11-20T12:00:00Z";
const ORDER = "ab".repeat(32);
/** Created 5 ms after the row's time. */
const PAYOUT_ID = `${(Date.parse(CREATED_AT) + 5).toString(16).padStart(12, "0")}7abc8def0123456789ab`;

const column = (name: string, type: string): Column => ({ name, type, unique: false, counter: null });

const table: Table = {
  schema: "public",
  name: "payout_copy",
  columns: [
    column("id", "uuid"),
    column("reference", "text"),
    column("order_id", "bytea"),
    column("created_at", "timestamp with time zone"),
  ],
};

const withDashes = (id: string) => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

const template: Template = {
  ...{ kind: "settled", open: false, share: 1, tokens: [ORDER, PAYOUT_ID] },
  rows: new Map([[table, [[withDashes(PAYOUT_ID), `payout_${PAYOUT_ID}`, `\\x${ORDER}`, CREATED_AT]]]]),
  readAt: Date.parse(CREATED_AT) / 1_000,
};

describe("the benchmark's copies of a payment", () => {
  let client: Client;

  beforeAll(async () => {
    client = new Client({ connectionString: await testDatabase() });
    await client.connect();
    await client.query(
      "create table public.payout_copy (id uuid, reference text, order_id bytea, created_at timestamptz)",
    );
  });
  afterAll(() => client.end());

  it("have ids of their own, ordered by time like the originals, and the same ids in every column", async () => {
    const slice: Slice = { first: 1, count: 3, age: 90 * 86_400, step: 86_400, block: 1 };
    for (const statement of copies(template, slice, new Map(), Date.parse(CREATED_AT) / 1_000))
      await client.query(statement);
    const { rows } = await client.query(
      `select (extract(epoch from uuid_extract_timestamp(id) - created_at) * 1000)::int as later_ms,
         uuid_extract_version(id) as version, reference = 'payout_' || replace(id::text, '-', '') as same,
         extract(day from $1::timestamptz - created_at)::int as days
       from public.payout_copy order by id`,
      [CREATED_AT],
    );
    const expected = { later_ms: 5, version: 7, same: true };
    expect(rows).to.deep.equal([90, 89, 88].map((days) => ({ ...expected, days })));
    const { rows: counts } = await client.query(
      "select count(distinct id)::int as ids, count(distinct order_id)::int as orders from public.payout_copy",
    );
    expect(counts).to.deep.equal([{ ids: 3, orders: 3 }]);
  });
});
