// The serving processes under a login that is a member of gateway_app and owns nothing (docs/audit-log.md).
import { afterAll, beforeAll, describe, it } from "bun:test";
import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { Client as Sql } from "pg";
import { Client } from "#test/api/support/client.ts";
import { fund, prove, untilStatus } from "#test/api/support/payments.ts";
import { type Stack, startStack } from "#test/support/stack.ts";

const login = `app_${randomBytes(6).toString("hex")}`;
let stack: Stack;
let owner: Sql;
let url: URL;

beforeAll(async () => {
  stack = await startStack({ roles: ["indexer"] });
  owner = new Sql({ connectionString: stack.databaseUrl });
  await owner.connect();
  url = new URL(stack.databaseUrl);
  await owner.query(`create role ${login} login password 'of-a-test' in role gateway_app`);
  // pg-boss makes its own schema when it starts for the first time: it belongs to this login then.
  await owner.query("drop schema pgboss cascade");
  await owner.query(`grant create on database ${owner.escapeIdentifier(url.pathname.slice(1))} to ${login}`);
  url.username = login;
  url.password = "of-a-test";
  stack.environment.DATABASE_URL = url.href;
  await Promise.all([stack.restart("api"), stack.restart("settlement")]);
});
afterAll(async () => {
  await owner?.end();
  await stack?.stop();
});

describe("the application's role", () => {
  it("serves a whole payment", async () => {
    const client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
    const { id } = await fund(client, { autoRelease: true });
    expect((await prove(client, id)).status).to.equal(200);
    await untilStatus(client, id, "SETTLED", "FINAL");
  });

  it("can neither change the audit log nor switch off what refuses it", async () => {
    const app = new Sql({ connectionString: url.href });
    await app.connect();
    const attempts = [
      "update gateway.audit_log set action = 'nothing'",
      "delete from gateway.audit_log",
      "truncate gateway.audit_log",
      "drop table gateway.audit_log cascade",
      "alter table gateway.audit_log disable trigger all",
      "set session_replication_role = replica",
      "delete from gateway.audit_seal",
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
    await app.end();
  });
});
