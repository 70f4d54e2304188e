// Broken connections are replaced, and the loss is reported.
import { describe, it } from "bun:test";
import { expect } from "chai";
import { sql } from "drizzle-orm";
import { connect } from "#core/db/client.ts";
import { until } from "#scripts/shared/wait.ts";
import { severable } from "#test/support/severable.ts";
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

describe("a database that does not respond for a while", () => {
  for (const [name, isSilentFirst] of [
    ["before a transaction begins", true],
    ["in a transaction", false],
  ] as const) {
    it(`${name} keeps no connection from the pool afterwards`, async () => {
      const proxy = await severable(await testDatabase());
      const database = connect(proxy.url, { max: 3, application: "silent", timeoutMs: 500 });
      const act = (during: () => void = () => undefined) =>
        database.transaction(async (tx) => {
          await tx.execute(sql`select 1`);
          during();
          await tx.execute(sql`select 2`);
        });
      const outcomes = async (during?: () => void) =>
        (await Promise.allSettled([act(during), act(during), act(during)])).map(({ status }) => status);
      expect(await outcomes()).to.deep.equal(Array(3).fill("fulfilled"));
      if (isSilentFirst) proxy.silence();
      expect(await outcomes(proxy.silence)).to.deep.equal(Array(3).fill("rejected"));
      proxy.answer();
      expect(await outcomes()).to.deep.equal(Array(3).fill("fulfilled"));
      expect(database.$client.totalCount).to.equal(database.$client.idleCount);
      await database.$client.end();
      await proxy.close();
    });
  }
});
