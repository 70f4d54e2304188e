// Broken connections are replaced, and the loss is reported.
import { describe, it } from "bun:test";
import { expect } from "chai";
import { sql } from "drizzle-orm";
import pino from "pino";
import { connect, type Database, RESPONSE_TIMEOUTS } from "#core/db/client.ts";
import { serviceUnavailable } from "#core/errors.ts";
import { until } from "#scripts/shared/wait.ts";
import { PAYOUT_QUEUE, startQueue } from "#settlement/payouts/payout-queue.ts";
import { Problems } from "#settlement/runtime/problems.ts";
import { catchError } from "#test/support/catch-error.ts";
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

describe("a transaction", () => {
  const pid = sql<{ pid: number }>`select pg_backend_pid() as pid`;

  /** @returns the error, and whether the next transaction works, over the same connection */
  async function fail(act: Parameters<Database["transaction"]>[0]) {
    const database = connect(await testDatabase(), { max: 1, application: "failing" });
    const before = await database.execute(pid);
    const error = await catchError(database.transaction(act));
    const after = await database.transaction((tx) => tx.execute(pid));
    await database.$client.end();
    return { error, isSame: before.rows[0]?.pid === after.rows[0]?.pid };
  }

  it("that fails for any reason returns its connection to the pool", async () => {
    for (const thrown of [
      new Error("mine"),
      serviceUnavailable(
        "The signer is away.",
        Object.assign(new Error("refused"), { code: "ECONNREFUSED" }),
      ),
    ]) {
      const { error, isSame } = await fail(async (tx) => {
        await tx.execute(sql`select 1`);
        throw thrown;
      });
      expect(error).to.equal(thrown);
      expect(isSame).to.equal(true);
    }
    const { error, isSame } = await fail((tx) => tx.execute(sql`select pg_backend_pid() / 0`));
    expect(error).to.have.nested.property("cause.code", "22012");
    expect(isSame).to.equal(true);
  });

  it("that the database has ended because it waited too long keeps its error, and not its connection", async () => {
    const thrown = new Error("mine");
    const { error, isSame } = await fail(async (tx) => {
      await tx.execute(sql`set local idle_in_transaction_session_timeout = 50`);
      Bun.sleepSync(1_000);
      throw thrown;
    });
    expect(error).to.equal(thrown);
    expect(isSame).to.equal(false);
  });

  it("does not begin over a connection that is in another transaction, which is replaced", async () => {
    const database = connect(await testDatabase(), { max: 1, application: "aborted" });
    const client = await database.$client.connect();
    await client.query("begin");
    await client.query("select pg_backend_pid() / 0").catch(() => undefined);
    client.release();
    const act = () => database.transaction((tx) => tx.execute(sql`select 1`));
    expect(await catchError(act())).to.have.nested.property("cause.code", "25P02");
    await act();
    await database.$client.end();
  });
});

describe("a database that does not respond for a while", () => {
  it("keeps no connection from the queue of payouts afterwards", async () => {
    const proxy = await severable(await testDatabase());
    const problems = new Problems(pino({ level: "silent" }));
    const timeouts = { ...RESPONSE_TIMEOUTS, statement_timeout: 1_500, query_timeout: 1_600 };
    const boss = await startQueue(proxy.url, problems, timeouts);
    const send = () =>
      Promise.allSettled(Array.from({ length: 5 }, () => boss.send(PAYOUT_QUEUE, { payoutIds: [] })));
    await send();
    proxy.silence();
    expect((await send()).map(({ status }) => status)).to.deep.equal(Array(5).fill("rejected"));
    proxy.answer();
    expect((await send()).map(({ status }) => status)).to.deep.equal(Array(5).fill("fulfilled"));
    await boss.stop({ graceful: false });
    await proxy.close();
  });

  for (const [name, isSilentFirst] of [
    ["before a transaction begins", true],
    ["in a transaction", false],
  ] as const) {
    it(`${name} keeps no connection from the pool afterwards`, async () => {
      const proxy = await severable(await testDatabase());
      const database = connect(proxy.url, { max: 3, application: "silent", timeoutMs: 1_500 });
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
