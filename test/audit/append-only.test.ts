// The database protects the audit log from changes by every login, including the tables' owner and the login of the API
// and settlement roles.
import { afterAll, beforeAll, it } from "bun:test";
import { expect } from "chai";
import { Client as Sql } from "pg";
import { createApplicationLogin } from "#test/support/stack.ts";
import { sealedDatabase } from "./support/seals.ts";

/** Connection as the tables' owner. */
let sql: Sql;
/** Connection as the application's login. */
let app: Sql;

beforeAll(async () => {
  const url = await sealedDatabase();
  sql = new Sql({ connectionString: url });
  app = new Sql({ connectionString: await createApplicationLogin(url) });
  await Promise.all([sql.connect(), app.connect()]);
});
afterAll(() => Promise.all([sql?.end(), app?.end()]));

it("neither the tables' owner nor the application's role can change the audit log, events or seals", async () => {
  const columns = { audit_log: "action", event: "type", audit_seal: "hash" };
  const changes = Object.entries(columns).flatMap(([table, column]) => [
    `delete from gateway.${table}`,
    // Only a table to which no other table refers can be truncated alone.
    `truncate gateway.${table} cascade`,
    `update gateway.${table} set ${column} = 'nothing'`,
  ]);
  const codeOf = (statement: string) =>
    sql.query(statement).then(
      () => "done",
      (error: { code?: string }) => error.code,
    );
  for (const change of changes) expect(await codeOf(change), change).to.equal("42501");
  await sql.query("set role gateway_app");
  for (const change of changes) expect(await codeOf(change), change).to.equal("42501");
  expect(await codeOf("alter table gateway.audit_log disable trigger all")).to.equal("42501");
  expect(await codeOf("select from gateway.audit_log")).to.equal("done");
  expect(await codeOf("select count(*) from gateway.intent")).to.equal("done");
  await sql.query("reset role");
});

it("the application cannot change the audit log or disable its protection", async () => {
  const attempts = [
    "update gateway.audit_log set action = 'nothing'",
    "delete from gateway.audit_log",
    "truncate gateway.audit_log",
    "drop table gateway.audit_log cascade",
    "alter table gateway.audit_log disable trigger all",
    "set session_replication_role = replica",
    "delete from gateway.audit_seal",
    "update gateway.event set type = 'nothing'",
    "delete from gateway.event",
    "create or replace function gateway.refuse_change() returns trigger language plpgsql as 'begin return null; end'",
  ];
  for (const attempt of attempts) {
    const code = await app.query(attempt).then(
      () => "done",
      (error: { code?: string }) => error.code,
    );
    expect(code, attempt).to.equal("42501");
  }
  const { rows } = await app.query("select count(*)::int as number from gateway.audit_log");
  expect(rows[0].number).to.be.greaterThan(5);
});
