// The readers' definition of the indexer's tables matches the tables that the indexer creates.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { is } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import { Client } from "pg";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import * as mirror from "#core/db/chain.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";

let stack: SharedStack;
let database: Client;

beforeAll(async () => {
  stack = await sharedStack();
  database = new Client({ connectionString: stack.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database?.end();
  await stack?.stop();
});

const tables = Object.values<unknown>(mirror).filter((one): one is PgTable => is(one, PgTable));
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** Whether a table is Ponder's own. Only the columns that readers use are mirrored from those. */
const isPonders = (name: string) => name.startsWith("_ponder");

/** Returns the type without its length, and treats varchar as text. */
const plain = (type: string) => type.replace(/\(.*\)/, "").replace("character varying", "text");

describe("the mirror of the indexer's views", () => {
  it.each(tables.map((table) => [getTableConfig(table).name, table] as const))(
    "has the columns of %s, by name and type",
    async (name, table) => {
      const { rows } = await database.query<{ column_name: string; data_type: string }>(
        "select column_name, data_type from information_schema.columns where table_schema = $1 and table_name = $2",
        [mirror.CHAIN_SCHEMA, name],
      );
      const actual = Object.fromEntries(rows.map((row) => [row.column_name, plain(row.data_type)]));
      const mirrored = Object.fromEntries(
        getTableConfig(table).columns.map((column) => [snake(column.name), plain(column.getSQLType())]),
      );
      if (isPonders(name)) expect(actual).to.deep.include(mirrored);
      else expect(mirrored).to.deep.equal(actual);
    },
  );

  it("omits no view that the indexer provides", async () => {
    const { rows } = await database.query<{ table_name: string }>(
      "select table_name from information_schema.views where table_schema = $1",
      [mirror.CHAIN_SCHEMA],
    );
    const offered = rows.map((row) => row.table_name).filter((name) => !isPonders(name));
    const mirrored = tables.map((table) => getTableConfig(table).name).filter((name) => !isPonders(name));
    expect(mirrored).to.have.members(offered);
  });
});

describe("the indexer's handlers", () => {
  const folder = new URL("../../indexer/src/", import.meta.url);
  const registered = readdirSync(folder)
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => [
      ...readFileSync(new URL(file, folder), "utf8").matchAll(/ponder\.on\("DeliveryVsPayment:(\w+)"/g),
    ])
    .map((match) => match[1]);
  // OpenZeppelin declares this event for contracts that can change their EIP-712 domain. This contract cannot, so it
  // never emits the event.
  const neverEmitted = "EIP712DomainChanged";

  it("exist once for every event of the contract", () => {
    const events = deliveryVsPaymentAbi
      .filter((item) => item.type === "event")
      .map(({ name }) => name as string)
      .filter((name) => name !== neverEmitted);
    expect(registered.filter((name) => name !== "setup")).to.have.members(events);
  });
});
