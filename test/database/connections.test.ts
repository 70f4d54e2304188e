// Broken connections are replaced, and the loss is reported.
import { describe, it } from "bun:test";
import { expect } from "chai";
import { sql } from "drizzle-orm";
import { connect } from "#core/db/client.ts";
import { until } from "#scripts/shared/wait.ts";
import { testDatabase } from "#test/support/stack.ts";

describe("a connection that breaks while idle", () => {
  it("is reported once, and the next statement uses a new connection", async () => {
    const url = await testDatabase();
    const lost: Error[] = [];
    const database = connect(url, {
      max: 1,
      application: "broken",
      onIdleError: (error) => void lost.push(error),
    });
    const other = connect(url, { max: 1, application: "other" });
    const readPid = async () =>
      (await database.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`)).rows[0]?.pid;
    const pid = await readPid();
    await other.execute(sql`select pg_terminate_backend(${pid})`);
    await until(() => lost.length > 0, { what: "The report of the loss", timeoutMs: 10_000 });
    expect(await readPid()).to.not.equal(pid);
    expect(lost).to.have.length(1);
    await Promise.all([database.$client.end(), other.$client.end()]);
  });
});
