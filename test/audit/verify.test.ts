// `npm run audit verify` detects tampering with a sealed audit log.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { Client as Sql } from "pg";
import { runScript } from "#test/support/run-script.ts";
import { sealedDatabase } from "./support/seals.ts";

let url: string;
/** Connection as the tables' owner. */
let sql: Sql;

beforeAll(async () => {
  url = await sealedDatabase();
  sql = new Sql({ connectionString: url });
  await sql.connect();
});
afterAll(() => sql?.end());

async function verify(...more: string[]) {
  const { output, errors, exitCode } = await runScript("audit.ts", ["verify", ...more], {
    DATABASE_URL: url,
  });
  return { code: exitCode, said: `${output}${errors}` };
}

describe("npm run audit verify", () => {
  /** Makes a change that the database forbids, verifies the log, and reverts the change. */
  async function tampered(change: string, undo: string): Promise<{ code: number; said: string }> {
    await sql.query("set session_replication_role = replica");
    await sql.query(change);
    const verdict = await verify();
    await sql.query(undo);
    await sql.query("set session_replication_role = origin");
    return verdict;
  }

  it("reports that the log is intact and fully sealed", async () => {
    const { code, said } = await verify();
    expect(said).to.contain("seals match");
    expect(said).to.match(/\n {2}0 rows are not sealed yet/);
    expect(code).to.equal(0);
  });

  it("detects a changed row", async () => {
    const { rows } = await sql.query(
      "select position, action from gateway.audit_log order by position offset 2 limit 1",
    );
    const { position, action } = rows[0];
    const set = (to: string) => `update gateway.audit_log set action = '${to}' where position = ${position}`;
    const { code, said } = await tampered(set("nothing"), set(action));
    expect(said).to.contain(`BROKEN: Row ${position} was changed`);
    expect(code).to.equal(1);
  });

  it("detects a deleted row", async () => {
    const { rows } = await sql.query(
      "select position from gateway.audit_log order by position offset 3 limit 1",
    );
    const { position } = rows[0];
    await sql.query(
      `create table public.kept as select * from gateway.audit_log where position = ${position}`,
    );
    const { code, said } = await tampered(
      `delete from gateway.audit_log where position = ${position}`,
      "insert into gateway.audit_log select * from public.kept",
    );
    expect(said).to.contain(`BROKEN: Row ${position} was deleted`);
    expect(code).to.equal(1);
  });

  it("detects a changed and a deleted event", async () => {
    const { rows } = await sql.query("select position from gateway.event order by position offset 1 limit 1");
    const [{ position }] = rows;
    const set = (type: string) => `update gateway.event set type = '${type}' where position = ${position}`;
    const changed = await tampered(set("payment_intent.settled"), set("payment_intent.final"));
    expect(changed.said).to.contain(`BROKEN: Row ${position} was changed`);
    expect(changed.code).to.equal(1);
    await sql.query(
      `create table public.kept_event as select * from gateway.event where position = ${position}`,
    );
    const deleted = await tampered(
      `delete from gateway.event where position = ${position}`,
      "insert into gateway.event select * from public.kept_event",
    );
    expect(deleted.said).to.contain(`BROKEN: Row ${position} was deleted`);
    expect(deleted.code).to.equal(1);
    expect((await verify()).code).to.equal(0);
  });

  it("detects a modified seal and a truncated end", async () => {
    const { said: before } = await verify();
    const head = /Head: ([0-9a-f]{64})/.exec(before)?.[1] ?? "";
    expect((await verify(head)).code).to.equal(0);
    const changed = await tampered(
      "update gateway.audit_seal set leaves = leaves || substr(int8send(9), 3) || sha256('x') where id = 1",
      "update gateway.audit_seal set leaves = substr(leaves, 1, octet_length(leaves) - 38) where id = 1",
    );
    expect(changed.said).to.contain("BROKEN: Seal 1 was changed");
    expect((await verify()).code).to.equal(0);
    expect((await verify("ab".repeat(32))).said).to.contain("is not in the hash chain");
  });
});
