// Several API processes on one PostgreSQL database count requests in memory and exchange their counts.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { EXCHANGE_MS } from "#api/access/rate-limit-counters.ts";
import { STORE_TIMEOUT_MS } from "#api/access/rate-limit-store.ts";
import { createKey } from "#core/api-keys/create-key.ts";
import { connect, type Database } from "#core/db/client.ts";
import { until } from "#scripts/shared/wait.ts";
import { startAnotherApi } from "#test/support/another-api.ts";
import { type SharedStack, sharedStack } from "#test/support/shared-stack.ts";
import { ask, SPEC_LIMITS } from "./support/limited-gateway.ts";

type Replica = SharedStack & { pid: number };

let stack: SharedStack;
let one: Replica;
let two: Replica;
let database: Database;

/** Starts an additional API process that the test stops separately. */
const startReplica = () => startAnotherApi({ ...stack, stop: async () => undefined }, SPEC_LIMITS);

beforeAll(async () => {
  stack = await sharedStack();
  [one, two] = await Promise.all([startReplica(), startReplica()]);
  database = connect(stack.databaseUrl, { application: "test" });
});

afterAll(async () => {
  await database?.$client.end();
  await Promise.all([one?.stop(), two?.stop()]);
  await stack?.stop();
});

const MISSING = `/payment-intents/intent_${"0".repeat(64)}`;

type Key = { id: string; secret: string };

async function freshKey(): Promise<Key> {
  const { key, secret } = await createKey(database, stack.merchants[0]?.merchantId ?? "", "sk_test_");
  return { id: key.id, secret };
}

/** Sends a request that counts only toward the limits per minute and per hour. */
const request = ({ baseUrl }: Replica, { secret }: Key) => ask(baseUrl, `${MISSING}/escrow`, { key: secret });

const flood = (key: Key, times: number) =>
  Promise.all(Array.from({ length: times }, (_, i) => request(i % 2 ? one : two, key)));

const admitted = (all: { status: number }[]) => all.filter(({ status }) => status === 404).length;

/** Returns the count that all processes have stored for a key's current minute. */
async function stored({ id }: Key): Promise<number> {
  const { rows } = await database.$client.query<{ points: number }>(
    "select points from gateway.rate_limit where key = $1",
    [`test_minute:${id}`],
  );
  return rows[0]?.points ?? 0;
}

const untilStored = (key: Key, count: number) =>
  until(async () => (await stored(key)) === count, {
    what: `${count} requests in the store`,
    timeoutMs: 20_000,
  });

/**
 * Waits until a process reports the remaining limit of a key's minute, including the requests of all processes.
 * @returns the number of requests sent so far
 */
async function untilShown(replica: Replica, key: Key, requests: number): Promise<number> {
  let sent = requests;
  const shows = async () => {
    sent++;
    return (await request(replica, key)).remaining === 100 - sent;
  };
  await until(shows, { what: "The total of all processes", timeoutMs: 10_000 });
  return sent;
}

describe("two API processes", () => {
  it("together exceed a limit by at most what each admits in an exchange interval", async () => {
    const key = await freshKey();
    // At this pace, the documented overshoot is far below the 100 extra requests of two independent processes.
    const PACE_MS = 60;
    const askUntilRefused = async (replica: Replica): Promise<number[]> => {
      const own: number[] = [];
      for (;;) {
        const { status } = await request(replica, key);
        if (status === 429) return own;
        own.push(performance.now());
        await Bun.sleep(PACE_MS);
      }
    };
    const byReplica = await Promise.all([one, two].map(askUntilRefused));
    const interval = EXCHANGE_MS + 2 * STORE_TIMEOUT_MS;
    const overshoot = byReplica
      .map((own) =>
        Math.max(...own.map((start) => own.filter((at) => at >= start && at < start + interval).length)),
      )
      .reduce((sum, most) => sum + most, 0);
    const total = byReplica.flat().length;
    expect(overshoot).to.be.below(60);
    expect(total).to.be.within(100, 100 + overshoot);
    await untilStored(key, total);
    for (const refusal of [await request(one, key), await request(two, key)])
      expect(refusal).to.include({ status: 429, limit: 100, remaining: 0 });
    expect(await stored(key)).to.equal(total);
  });

  it("reject a key whose limit the other process has used up, until its window ends", async () => {
    const key = await freshKey();
    for (let i = 0; i < 100; i++) expect((await request(one, key)).status).to.equal(404);
    await untilStored(key, 100);
    const [first, second] = [await request(one, key), await request(two, key)];
    expect(second).to.include({ status: 429, limit: 100, remaining: 0, reset: first.reset });
    expect(Number(second.retryAfter)).to.be.within(1, 60);
    expect(second.body.error?.retryAfter).to.equal(Number(second.retryAfter));
  });

  it("count down the same window together", async () => {
    const key = await freshKey();
    for (let left = 99; left >= 95; left--) expect((await request(one, key)).remaining).to.equal(left);
    await untilStored(key, 5);
    expect((await request(two, key)).remaining).to.equal(94);
    await untilStored(key, 6);
    await untilShown(one, key, 6);
  });

  it("do not count an endpoint's rejections", async () => {
    const key = await freshKey();
    for (let i = 0; i < 40; i++)
      await ask(one.baseUrl, `${MISSING}/confirm`, { key: key.secret, method: "POST", body: {} });
    await untilStored(key, 30);
    expect((await request(two, key)).remaining).to.equal(69);
  });

  it("continue separately while the store is unavailable, and add up their counts afterward", async () => {
    const key = await freshKey();
    await database.$client.query("alter table gateway.rate_limit rename to rate_limit_away");
    try {
      const all = await flood(key, 240);
      expect([admitted(all), all.length - admitted(all)]).to.deep.equal([200, 40]);
    } finally {
      await database.$client.query("alter table gateway.rate_limit_away rename to rate_limit");
    }
    await untilStored(key, 200);
    const next = await freshKey();
    for (let i = 0; i < 100; i++) await request(one, next);
    await untilStored(next, 100);
    expect((await request(two, next)).status).to.equal(429);
  });

  it("do not wait for a hanging store", async () => {
    const key = await freshKey();
    const holder = await database.$client.connect();
    try {
      await holder.query("begin");
      await holder.query("lock table gateway.rate_limit in access exclusive mode");
      const start = performance.now();
      for (let i = 0; i < 10; i++) expect((await request(one, key)).status).to.equal(404);
      expect(performance.now() - start).to.be.below(2_000);
    } finally {
      await holder.query("rollback");
      holder.release();
    }
    await untilStored(key, 10);
  });
});

describe("a restarted API process", () => {
  it("knows its earlier counts, including the last requests", async () => {
    const key = await freshKey();
    for (let i = 0; i < 100; i++) await request(two, key);
    await two.stop();
    expect(await stored(key)).to.equal(100);
    two = await startReplica();
    expect(await request(two, key)).to.include({ status: 429, limit: 100, remaining: 0 });
  });

  it("knows the counts that it stored before it was killed", async () => {
    const key = await freshKey();
    for (let i = 0; i < 60; i++) await request(two, key);
    await untilStored(key, 60);
    process.kill(two.pid, "SIGKILL");
    two = await startReplica();
    expect((await request(two, key)).remaining).to.equal(39);
  });
});
