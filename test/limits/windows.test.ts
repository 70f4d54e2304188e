// When a rate-limit window starts and ends in a single process. The test controls the clock and has a separate
// database.
import { afterEach, beforeAll, beforeEach, describe, it, setSystemTime } from "bun:test";
import { expect } from "chai";
import { zeroAddress } from "viem";
import { EXCHANGE_MS, RateLimitCounters } from "#api/access/rate-limit-counters.ts";
import { createRateLimitStore } from "#api/access/rate-limit-store.ts";
import { RateLimits, showVerdict } from "#api/access/rate-limits.ts";
import { readConfig } from "#core/config/config.ts";
import { connect } from "#core/db/client.ts";
import { rateLimit } from "#core/db/schema/requests.ts";
import { createLog } from "#core/log.ts";
import { testDatabase } from "#test/support/stack.ts";

const START = Date.parse("2030-01-01T00:00:00.250Z");
const CALLER = {
  keyId: "key_1",
  merchantId: "merchant_1",
  account: zeroAddress,
  mode: "test",
  access: "full",
} as const;
const ADDRESS = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const config = readConfig({
  GATEWAY_ENV: "local",
  DATABASE_URL: "postgres://nowhere",
  RPC_URL: "http://localhost",
  CHAIN_ID: "1",
  CONTRACT_ADDRESS: ADDRESS,
  TOKENS: JSON.stringify({ USDC: ADDRESS, USDT: ADDRESS, DAI: ADDRESS }),
  OPERATOR_KEY: `0x${"4".repeat(64)}`,
  ARBITER_KEY: `0x${"7".repeat(64)}`,
  OFF_RAMP_ADDRESS: ADDRESS,
  BASE_URL: "http://localhost",
  PAYMENT_PAGE_URL: "http://localhost",
});

let databaseUrl: string;
let limits: RateLimits;
let refused: string[];
const at = (ms: number) => setSystemTime(new Date(START + ms));

const never = (error: Error) => {
  throw error;
};

beforeAll(async () => {
  databaseUrl = await testDatabase();
});

beforeEach(() => {
  at(0);
  refused = [];
  const counters = new RateLimitCounters(
    createRateLimitStore(databaseUrl, never),
    createLog("test", "silent"),
  );
  limits = new RateLimits(config.rateLimits, counters, (window) => refused.push(window));
});

afterEach(async () => {
  setSystemTime();
  await limits.stop();
  const database = connect(databaseUrl, { application: "test" });
  await database.delete(rateLimit);
  await database.$client.end();
});

async function use(times: number): Promise<void> {
  for (let i = 0; i < times; i++) expect((await limits.takeForCaller(CALLER)).refused).to.equal(false);
}

describe("a window", () => {
  it("starts with the first request and lasts exactly a minute", async () => {
    await use(1);
    at(30_000);
    await use(99);
    at(59_999);
    expect(await limits.takeForCaller(CALLER)).to.include({ refused: true, msLeft: 1, remaining: 0 });
    at(60_000);
    expect(await limits.takeForCaller(CALLER)).to.include({ refused: false, msLeft: 60_000, remaining: 99 });
  });

  it("has ended at the second named by X-RateLimit-Reset, but not a second earlier", async () => {
    await use(100);
    const headers: Record<string, string> = {};
    showVerdict(headers, await limits.takeForCaller(CALLER));
    const reset = Number(headers["x-ratelimit-reset"]);
    expect(reset).to.equal(Math.ceil((START + 60_000) / 1000));
    setSystemTime(new Date((reset - 1) * 1000));
    expect((await limits.takeForCaller(CALLER)).refused).to.equal(true);
    setSystemTime(new Date(reset * 1000));
    expect((await limits.takeForCaller(CALLER)).refused).to.equal(false);
  });

  it("of an hour counts the requests that the minute windows admit, and is named when it rejects", async () => {
    for (let minute = 0; minute < 10; minute++) {
      at(minute * 60_000);
      await use(100);
    }
    at(600_000);
    expect(await limits.takeForCaller(CALLER)).to.include({ refused: true, limit: 1000, msLeft: 3_000_000 });
    expect(refused).to.deep.equal(["test_hour"]);
    at(3_599_999);
    expect(await limits.takeForCaller(CALLER)).to.include({ refused: true, limit: 1000, msLeft: 1 });
    at(3_600_000);
    expect(await limits.takeForCaller(CALLER)).to.include({ refused: false, limit: 100, remaining: 99 });
  });

  it("that rejects a request does not count it elsewhere: excess requests do not use up the hour", async () => {
    await use(100);
    for (let i = 0; i < 950; i++) expect((await limits.takeForCaller(CALLER)).limit).to.equal(100);
    at(60_000);
    await use(100);
    at(120_000);
    for (let i = 0; i < 60; i++) await limits.takeForCaller(CALLER, "create");
    // Only 50 of the 60 requests were admitted, and the minute window counts only those.
    expect(await limits.takeForCaller(CALLER)).to.include({ refused: false, limit: 100, remaining: 49 });
  });

  it("with the least remaining is reported: the endpoint's, the minute's, or the hour's", async () => {
    expect(await limits.takeForCaller(CALLER, "confirm")).to.include({ limit: 30, remaining: 29 });
    await use(95);
    expect(await limits.takeForCaller(CALLER, "confirm")).to.include({ limit: 100, remaining: 3 });
    for (let minute = 1; minute < 10; minute++) {
      at(minute * 60_000);
      await use(100);
    }
    at(600_000);
    expect(await limits.takeForCaller(CALLER, "confirm")).to.include({ limit: 1000, remaining: 2 });
  });

  it("that lasts longest is reported: a caller who waits that long is not rejected again", async () => {
    for (let minute = 0; minute < 9; minute++) {
      at(minute * 60_000);
      await use(100);
    }
    at(540_000);
    await use(70);
    for (let i = 0; i < 30; i++) await limits.takeForCaller(CALLER, "confirm");
    const verdict = await limits.takeForCaller(CALLER, "confirm");
    expect(verdict).to.include({ refused: true, limit: 1000, msLeft: 3_060_000 });
  });

  it("is separate per key and per mode", async () => {
    await use(100);
    expect((await limits.takeForCaller({ ...CALLER, keyId: "key_2" })).refused).to.equal(false);
    expect(await limits.takeForCaller({ ...CALLER, mode: "live" })).to.include({
      limit: 1000,
      remaining: 999,
    });
  });

  it("of a dashboard user is a separate minute in each mode, without an hour", async () => {
    const { access: _, ...rest } = CALLER;
    const user = { ...rest, isUser: true, role: "admin" } as const;
    for (let minute = 0; minute < 5; minute++) {
      at(minute * 60_000);
      for (let i = 0; i < 600; i++) {
        const mode = i % 2 ? "live" : "test";
        expect((await limits.takeForCaller({ ...user, mode }, "retrieve")).refused).to.equal(false);
      }
    }
    expect(await limits.takeForCaller(user)).to.include({ refused: true, limit: 600, msLeft: 60_000 });
    expect(await limits.takeForCaller(CALLER)).to.include({ refused: false, limit: 100, remaining: 99 });
  });

  it("of an address can be read without counting", async () => {
    expect(await limits.ofAddress("192.0.2.1")).to.include({ limit: 100, remaining: 100, refused: false });
    await limits.takeForAddress("192.0.2.1");
    expect(await limits.ofAddress("192.0.2.1")).to.include({ remaining: 99 });
    expect(await limits.ofAddress("192.0.2.1")).to.include({ remaining: 99 });
    expect(await limits.takeForAddress("192.0.2.2")).to.include({ remaining: 99 });
  });

  it("costs the store one read when it starts and one statement per exchange, but none per request", async () => {
    const store = createRateLimitStore(databaseUrl, never);
    const calls = { load: 0, add: 0 };
    const counters = new RateLimitCounters(
      {
        ...store,
        load: (key) => {
          calls.load++;
          return store.load(key);
        },
        add: (counts) => {
          calls.add++;
          return store.add(counts);
        },
      },
      createLog("test", "silent"),
    );
    const counted = new RateLimits(config.rateLimits, counters);
    const start = performance.now();
    for (let i = 0; i < 500; i++) await counted.takeForCaller({ ...CALLER, mode: "live" }, "retrieve");
    await counted.stop();
    expect(calls.load).to.equal(3);
    expect(calls.add).to.be.within(1, 1 + Math.ceil((performance.now() - start) / EXCHANGE_MS));
  });

  it("admits exactly the limit for concurrent requests", async () => {
    const all = await Promise.all(
      Array.from({ length: 500 }, (_, i) => limits.takeForCaller(CALLER, i % 2 ? "create" : "confirm")),
    );
    expect(all.filter((verdict) => !verdict.refused)).to.have.length(80);
  });
});
