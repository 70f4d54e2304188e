// Where requests are counted: in memory, exact with one API process; or in a store that several share. A store that
// cannot be reached does not take the API down: each process then counts for itself until it is back.
import { Pool } from "pg";
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes,
} from "rate-limiter-flexible";
import type { Config } from "#core/config.ts";
import { describe, type Logger } from "#core/log.ts";
import { redisStore } from "./rate-limits-redis.ts";

export type Counter = Pick<RateLimiterAbstract, "consume" | "reward" | "get">;

export type Counters = {
  /** A counter that begins a new window of so many seconds with the first request after the last window. */
  counter(name: string, points: number, seconds: number): Counter;
  stop(): Promise<void>;
};

/** How long a request waits for the store at most, and how long a store that failed is left alone. */
const STORE_TIMEOUT_MS = 500;
const LEFT_ALONE_MS = 2_000;

const inMemory = (name: string, points: number, seconds: number): Counter =>
  new RateLimiterMemory({ keyPrefix: name, points, duration: seconds });

const memory: Counters = { counter: inMemory, stop: async () => undefined };

/** Whether the store answers; all windows share it. */
class StoreState {
  #leftAloneUntil = 0;
  #away = false;

  constructor(private readonly log: Logger) {}

  get isAway(): boolean {
    return Date.now() < this.#leftAloneUntil;
  }

  failed(error: unknown): void {
    this.#leftAloneUntil = Date.now() + LEFT_ALONE_MS;
    if (this.#away) return;
    this.#away = true;
    this.log.warn({ cause: describe(error) }, "rate limits: store away, counting in this process alone");
  }

  answered(): void {
    if (!this.#away) return;
    this.#away = false;
    this.log.info("rate limits: store is back");
  }
}

/**
 * Asks the store, and counts in memory while it is away. The library's own insurance says nothing of what went wrong
 * and lets every request wait for a dead store anew.
 */
function insured(store: Counter, insurance: Counter, state: StoreState): Counter {
  const ask = async <T>(work: (counter: Counter) => Promise<T>): Promise<T> => {
    if (state.isAway) return work(insurance);
    try {
      const answer = await inTime(work(store));
      state.answered();
      return answer;
    } catch (error) {
      if (error instanceof RateLimiterRes) throw error;
      state.failed(error);
      return work(insurance);
    }
  };
  return {
    consume: (key) => ask((counter) => counter.consume(key)),
    reward: (key) => ask((counter) => counter.reward(key)),
    get: (key) => ask((counter) => counter.get(key)),
  };
}

function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("The store did not answer in time.")), STORE_TIMEOUT_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** What both stores are told: a key past its limit is refused from memory until its window ends. */
const common = (name: string, points: number, seconds: number) => ({
  keyPrefix: name,
  points,
  duration: seconds,
  inMemoryBlockOnConsumed: points + 1,
});

function inPostgres(databaseUrl: string, log: Logger): Counters {
  const state = new StoreState(log);
  const pool = new Pool({
    connectionString: databaseUrl,
    max: 5,
    application_name: "rate-limits",
    connectionTimeoutMillis: STORE_TIMEOUT_MS,
    query_timeout: STORE_TIMEOUT_MS,
  });
  pool.on("error", (error) => state.failed(error));
  return {
    counter(name, points, seconds) {
      const store = new RateLimiterPostgres({
        ...common(name, points, seconds),
        storeClient: pool,
        storeType: "pool",
        schemaName: "gateway",
        tableName: "rate_limit",
        // By a migration.
        tableCreated: true,
        // One of them clears the table for all.
        clearExpiredByTimeout: name === "address",
      });
      return insured(store, inMemory(name, points, seconds), state);
    },
    stop: () => pool.end(),
  };
}

function inRedis(url: string, log: Logger): Counters {
  const state = new StoreState(log);
  const { client, close } = redisStore(url, STORE_TIMEOUT_MS);
  return {
    counter(name, points, seconds) {
      const store = new RateLimiterRedis({
        ...common(name, points, seconds),
        keyPrefix: `rate_limit:${name}`,
        storeClient: client,
        useRedisPackage: true,
      });
      return insured(store, inMemory(name, points, seconds), state);
    },
    stop: async () => close(),
  };
}

export function createCounters({ databaseUrl, rateLimits }: Config, log: Logger): Counters {
  const { store, redisUrl } = rateLimits;
  if (store === "postgres") return inPostgres(databaseUrl, log);
  if (store === "redis" && redisUrl !== undefined) return inRedis(redisUrl, log);
  return memory;
}
