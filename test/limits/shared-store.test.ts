// Several API processes with one store, Postgres or Redis, and a store that goes away.
import { afterAll, afterEach, beforeAll, describe, it } from "bun:test";
import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { zeroAddress } from "viem";
import { RateLimits } from "#api/http/rate-limits.ts";
import { createCounters } from "#api/http/rate-limits-counters.ts";
import { readConfig } from "#core/config.ts";
import { connect, type Database } from "#core/db/client.ts";
import { createKey } from "#core/keys/create-key.ts";
import { createLog } from "#core/log.ts";
import { freePort } from "#scripts/local/ports.ts";
import { startAnotherApi } from "#test/support/another-api.ts";
import type { SharedStack } from "#test/support/shared-stack.ts";
import { FakeRedis } from "./support/fake-redis.ts";
import { ask, startLimitedApi } from "./support/limited-gateway.ts";

/** A server for the test alone, such as `redis://127.0.0.1:6379`. */
const REAL_REDIS = process.env.TEST_REDIS_URL;

let stack: SharedStack;
let second: SharedStack;
let database: Database;
let bases: string[];

beforeAll(async () => {
  stack = await startLimitedApi({ RATE_LIMIT_STORE: "postgres" });
  second = await startAnotherApi(stack, {});
  bases = [stack.baseUrl, second.baseUrl];
  database = connect(stack.databaseUrl, { application: "test" });
});

afterAll(async () => {
  await database?.$client.end();
  await (second ?? stack)?.stop();
});

const freshKey = async () =>
  (await createKey(database, stack.merchants[0]?.merchantId ?? "", "sk_test_")).secret;
const MISSING = `/payment-intents/intent_${"0".repeat(64)}`;

const flood = (key: string, times: number) =>
  Promise.all(Array.from({ length: times }, (_, i) => ask(bases[i % 2] ?? "", `${MISSING}/escrow`, { key })));

const accepted = (all: { status: number }[]) => all.filter(({ status }) => status === 404).length;
const refused = (all: { status: number }[]) => all.filter(({ status }) => status === 429).length;

describe("two API processes with one Postgres", () => {
  it("let through together what a key may, all at once", async () => {
    const key = await freshKey();
    const all = await flood(key, 160);
    expect([accepted(all), refused(all)]).to.deep.equal([100, 60]);
    for (const { limit, remaining, reset } of all) {
      expect(limit).to.equal(100);
      expect(remaining).to.be.within(0, 99);
      expect(reset - Date.now() / 1000).to.be.within(0, 61);
    }
  });

  it("count down as one, and see the endpoint's refusals use up nothing", async () => {
    const key = await freshKey();
    const remaining: number[] = [];
    for (let i = 0; i < 6; i++)
      remaining.push((await ask(bases[i % 2] ?? "", "/payment-intents", { key })).remaining);
    expect(remaining).to.deep.equal([99, 98, 97, 96, 95, 94]);
    for (let i = 0; i < 40; i++)
      await ask(bases[i % 2] ?? "", `${MISSING}/confirm`, { key, method: "POST", body: {} });
    expect((await ask(bases[0] ?? "", "/payment-intents", { key })).remaining).to.equal(63);
  });

  it("go on, each counting for itself, while the store is away, and together again when it is back", async () => {
    await database.$client.query("alter table gateway.rate_limit rename to rate_limit_away");
    try {
      const all = await flood(await freshKey(), 240);
      expect([accepted(all), refused(all)]).to.deep.equal([200, 40]);
    } finally {
      await database.$client.query("alter table gateway.rate_limit_away rename to rate_limit");
    }
    await Bun.sleep(2_100);
    const all = await flood(await freshKey(), 120);
    expect([accepted(all), refused(all)]).to.deep.equal([100, 20]);
  });

  it("do not wait for a store that hangs", async () => {
    const key = await freshKey();
    const holder = await database.$client.connect();
    try {
      await holder.query("begin");
      await holder.query("lock table gateway.rate_limit in access exclusive mode");
      const start = performance.now();
      for (let i = 0; i < 10; i++) expect((await ask(bases[0] ?? "", MISSING, { key })).status).to.equal(404);
      expect(performance.now() - start).to.be.below(2_000);
    } finally {
      await holder.query("rollback");
      holder.release();
    }
  });
});

describe("with Redis as the store", () => {
  const CALLER = {
    keyId: "key_1",
    merchantId: "merchant_1",
    account: zeroAddress,
    mode: "test",
    access: "full",
  } as const;
  let redis: FakeRedis;
  const started: RateLimits[] = [];

  const limitsOn = (url: string) => {
    const config = readConfig({ ...stack.environment, RATE_LIMIT_STORE: "redis", REDIS_URL: url });
    const limits = new RateLimits(config.rateLimits, createCounters(config, createLog("test", "silent")));
    started.push(limits);
    return limits;
  };

  afterEach(async () => {
    await Promise.all(started.splice(0).map((limits) => limits.stop()));
    redis?.stop();
  });

  /** Two processes that share a Redis, as its clients see it. */
  async function expectSharedCount(url: string): Promise<string> {
    const keyId = `key_${randomBytes(6).toString("hex")}`;
    const address = `192.0.2.1 ${keyId}`;
    const [one, two] = [limitsOn(url), limitsOn(url)];
    const caller = { ...CALLER, keyId };
    const all = await Promise.all(
      Array.from({ length: 140 }, (_, i) => (i % 2 ? one : two).takeForCaller(caller)),
    );
    expect(all.filter((verdict) => !verdict.refused)).to.have.length(100);
    expect(await one.takeForCaller(caller, "create")).to.include({ refused: true, limit: 100 });
    expect(await one.ofAddress(address)).to.include({ remaining: 100 });
    await two.takeForAddress(address);
    expect(await one.ofAddress(address)).to.include({ remaining: 99 });
    return keyId;
  }

  it("two processes count as one", async () => {
    redis = new FakeRedis();
    const keyId = await expectSharedCount(redis.url);
    expect(redis.keys).to.include.members([
      `rate_limit:test_minute:${keyId}`,
      `rate_limit:test_hour:${keyId}`,
    ]);
  });

  // npm has no Redis to install: whoever has one says where it is.
  it.skipIf(REAL_REDIS === undefined)("two processes count as one with a real server", async () => {
    await expectSharedCount(REAL_REDIS ?? "");
  });

  it("a process goes on alone when it falls silent, and when it is not there", async () => {
    redis = new FakeRedis();
    const limits = limitsOn(redis.url);
    await limits.takeForCaller(CALLER);
    redis.silent = true;
    const start = performance.now();
    expect(await limits.takeForCaller(CALLER)).to.include({ refused: false });
    for (let i = 0; i < 98; i++) await limits.takeForCaller(CALLER);
    expect(performance.now() - start).to.be.below(1_500);
    const lonely = limitsOn(`redis://127.0.0.1:${await freePort()}`);
    expect(await lonely.takeForCaller(CALLER)).to.include({ refused: false, remaining: 99 });
  });
});
