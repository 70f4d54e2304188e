// Constraints that the database enforces for every writer: the ledger stays correct even if its writer has a bug.
import { afterAll, beforeAll, beforeEach, describe, it } from "bun:test";
import { expect } from "chai";
import { Client as Sql } from "pg";
import { ACCOUNTS, FLOWS } from "#core/ledger/flows.ts";
import { type Books, openBooks } from "./support/books.ts";

const ALL = 100_000_000n;
const CHECK_VIOLATED = "23514";
const NULL_REFUSED = "23502";
const NOT_UNIQUE = "23505";
const NOT_ALLOWED = "42501";
const GENERATED_ALWAYS = "428C9";

let books: Books;
let sql: Sql;

beforeAll(async () => {
  books = await openBooks();
  sql = new Sql({ connectionString: books.databaseUrl });
  await sql.connect();
});
beforeEach(() => books.begin());
afterAll(async () => {
  await sql?.end();
  await books.close();
});

/** @returns the error's code, or `done` */
const outcome = (statement: string, values: unknown[] = []): Promise<string | undefined> =>
  sql.query(statement, values).then(
    () => "done",
    (error: { code?: string }) => error.code,
  );

type Posting = {
  kind: string;
  intentId: string;
  amount: bigint | number;
  revision?: number;
  reversed?: boolean;
};

const insert = ({ kind, intentId, amount, revision = 1, reversed = false }: Posting) =>
  outcome(
    `insert into gateway.ledger_posting (deployment_id, kind, subject, revision, reversed, amount, intent_id)
     values (2147483647, $1, '', $3, $4, $5, decode(substr($2, 8), 'hex'))`,
    [kind, intentId, revision, reversed, amount],
  );

describe("a posting", () => {
  it("has a known kind and moves something", async () => {
    const { id: intentId } = await books.funded(1);
    expect(await insert({ kind: "gift", intentId, amount: 5 })).to.equal(NULL_REFUSED);
    expect(await insert({ kind: "funded", intentId, amount: 0 })).to.equal(CHECK_VIOLATED);
    expect(await insert({ kind: "funded", intentId, amount: -5 })).to.equal(CHECK_VIOLATED);
    expect(await insert({ kind: "funded", intentId: "intent_00", amount: 5 })).to.equal(NULL_REFUSED);
    expect(await books.balances()).to.deep.equal({});
  });

  it("belongs to its intent's merchant and moves between the accounts of its kind, even if the row names others", async () => {
    const { id: intentId } = await books.funded(1);
    expect(await insert({ kind: "funded", intentId, amount: 5 })).to.equal("done");
    expect(await books.balances()).to.deep.equal({ payers: -5n, custody: 5n });
    const way = `insert into gateway.ledger_posting (kind, subject, revision, reversed, amount, intent_id, deployment_id, from_account)
      values ('paid', 'x', 1, false, 5, '\\x${intentId.slice("intent_".length)}', 2147483647, 'loss')`;
    expect(await outcome(way)).to.equal(GENERATED_ALWAYS);
  });

  it("is stored once", async () => {
    const { id: intentId } = await books.funded(1);
    expect(await insert({ kind: "funded", intentId, amount: 5 })).to.equal("done");
    expect(await insert({ kind: "funded", intentId, amount: 5 })).to.equal(NOT_UNIQUE);
    expect(await insert({ kind: "funded", intentId, amount: 5, revision: 2, reversed: true })).to.equal(
      "done",
    );
    expect(await books.balances()).to.deep.equal({});
  });

  it("cannot overdraw an account", async () => {
    const { id: intentId } = await books.funded(1);
    expect(await insert({ kind: "settled", intentId, amount: 5 })).to.equal(CHECK_VIOLATED);
    await insert({ kind: "funded", intentId, amount: 5 });
    expect(await insert({ kind: "settled", intentId, amount: 6 })).to.equal(CHECK_VIOLATED);
    expect(await insert({ kind: "settled", intentId, amount: 5 })).to.equal("done");
    expect(await books.balances()).to.deep.equal({ payers: -5n, in_transit: 5n });
  });

  it("balances for every kind, posted and reversed", async () => {
    for (const [kind, [from, to]] of Object.entries(FLOWS)) {
      const { id: intentId } = await books.funded(1);
      await sql.query("begin");
      await sql.query("alter table gateway.ledger_balance drop constraint ledger_balance_not_overdrawn");
      expect(await insert({ kind, intentId, amount: ALL })).to.equal("done");
      const { rows } = await sql.query(
        "select merchant_id, account, amount::text from gateway.ledger_balance where amount <> 0 and merchant_id = (select merchant_id from gateway.intent where id = decode(substr($1, 8), 'hex'))",
        [intentId],
      );
      expect(Object.fromEntries(rows.map((row) => [row.account, row.amount])), kind).to.deep.equal({
        [from]: `${-ALL}`,
        [to]: `${ALL}`,
      });
      expect(await insert({ kind, intentId, amount: ALL, revision: 2, reversed: true })).to.equal("done");
      const left = await sql.query(
        "select from gateway.ledger_balance where amount <> 0 and merchant_id = $1",
        [rows[0]?.merchant_id],
      );
      expect(left.rowCount).to.equal(0);
      expect(ACCOUNTS).to.include.members([from, to]);
      await sql.query("rollback");
    }
  });
});

describe("the ledger", () => {
  const CHANGES = [
    "update gateway.ledger_posting set amount = amount + 1",
    "delete from gateway.ledger_posting",
    "truncate gateway.ledger_posting",
    "update gateway.ledger_balance set amount = 0",
    "delete from gateway.ledger_balance",
    "truncate gateway.ledger_balance",
    `insert into gateway.ledger_balance select deployment_id, merchant_id, mode, currency, 'fees', 5 from gateway.ledger_balance limit 1`,
  ];

  it("cannot be changed by the tables' owner or by the application's role, which may insert and read", async () => {
    const { id: intentId } = await books.funded(1);
    await insert({ kind: "funded", intentId, amount: ALL });
    for (const change of CHANGES) expect(await outcome(change), change).to.equal(NOT_ALLOWED);
    await sql.query("set role gateway_app");
    for (const change of CHANGES) expect(await outcome(change), change).to.equal(NOT_ALLOWED);
    for (const table of ["ledger_posting", "ledger_balance"])
      expect(await outcome(`alter table gateway.${table} disable trigger all`)).to.equal(NOT_ALLOWED);
    expect(await insert({ kind: "settled", intentId, amount: 40_000_000n })).to.equal("done");
    expect(await outcome("select from gateway.ledger_posting, gateway.ledger_balance")).to.equal("done");
    await sql.query("reset role");
    expect(await books.balances()).to.deep.equal({
      payers: -ALL,
      custody: 60_000_000n,
      in_transit: 40_000_000n,
    });
  });
});
