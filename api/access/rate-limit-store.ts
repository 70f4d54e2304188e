// The counts shared by the API processes, in the gateway's Postgres: one statement reads or adds to any number of
// windows.
import { Pool } from "pg";
import { batched } from "#core/db/batch.ts";

/** The request count of a window, which is identified by its caller and its end in Unix milliseconds. */
export type WindowCount = { key: string; count: number; endsAt: number };

export type RateLimitStore = {
  /** @returns the count of all processes in the current window; undefined if it has not started */
  load(key: string): Promise<WindowCount | undefined>;
  /** Adds to the current windows, and restarts those that have ended. @returns the totals */
  add(counts: readonly WindowCount[]): Promise<WindowCount[]>;
  /** Deletes windows that have ended. */
  prune(): Promise<void>;
  stop(): Promise<void>;
};

/** Statement timeout. A request only waits for one when its window starts. */
export const STORE_TIMEOUT_MS = 500;

/** One for exchanges, one for windows that start. */
const CONNECTIONS = 2;
const PRUNED_AT_ONCE = 1_000;
/** The processes' clocks differ, so a window that has ended for one may be current for another. */
const KEPT_AFTER_END_MS = 60_000;

type Row = { key: string; points: number; expire: string };

const toCount = ({ key, points, expire }: Row): WindowCount => ({
  key,
  count: points,
  endsAt: Number(expire),
});

const LOAD = `select key, points, expire from gateway.rate_limit where key = any($1) and expire > $2`;

// In a fixed order, so that two processes never deadlock.
const ADD = `insert into gateway.rate_limit as stored (key, points, expire)
  select * from unnest($1::text[], $2::integer[], $3::bigint[]) as counted (key, points, expire) order by key
  on conflict (key) do update set
    points = case when stored.expire <= $4 then excluded.points else stored.points + excluded.points end,
    expire = case when stored.expire <= $4 then excluded.expire else stored.expire end
  returning key, points, expire`;

const PRUNE = `delete from gateway.rate_limit where key in (
  select key from gateway.rate_limit where expire < $1 order by expire limit ${PRUNED_AT_ONCE} for update skip locked)`;

/** @param onIdleError receives the errors of connections that break while idle (the pool replaces them) */
export function createRateLimitStore(
  databaseUrl: string,
  onIdleError: (error: Error) => void,
): RateLimitStore {
  const pool = new Pool({
    connectionString: databaseUrl,
    max: CONNECTIONS,
    application_name: "rate-limits",
    connectionTimeoutMillis: STORE_TIMEOUT_MS,
    // The server times out first, so an unfinished exchange is not counted twice when it is resent.
    statement_timeout: STORE_TIMEOUT_MS,
    query_timeout: STORE_TIMEOUT_MS + 100,
    keepAlive: true,
  });
  pool.on("error", onIdleError);
  const query = async (name: string, text: string, values: unknown[]): Promise<WindowCount[]> =>
    (await pool.query<Row>({ name, text, values })).rows.map(toCount);

  return {
    load: batched(
      (keys: string[]) => query("rate_limit_load", LOAD, [keys, Date.now()]),
      ({ key }) => key,
    ),
    add: (counts) =>
      query("rate_limit_add", ADD, [
        counts.map(({ key }) => key),
        counts.map(({ count }) => count),
        counts.map(({ endsAt }) => endsAt),
        Date.now(),
      ]),
    async prune() {
      const before = Date.now() - KEPT_AFTER_END_MS;
      let deleted: number | null;
      do {
        deleted = (await pool.query({ name: "rate_limit_prune", text: PRUNE, values: [before] })).rowCount;
      } while (deleted === PRUNED_AT_ONCE);
    },
    stop: () => pool.end(),
  };
}
