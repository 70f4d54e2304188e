// Stores the counts that the API processes share in the gateway's Postgres database. One statement reads or
// updates any number of windows.
import { and, gt, sql } from "drizzle-orm";
import { batched } from "#core/db/batch.ts";
import { connect, type Database } from "#core/db/client.ts";
import { columnNames } from "#core/db/column-names.ts";
import { rateLimit } from "#core/db/schema/requests.ts";

/** The request count of a window, which is identified by its caller and its end in Unix milliseconds. */
export type WindowCount = { key: string; count: number; endsAt: number };

export type RateLimitStore = {
  /** @returns the count of all processes in the current window; undefined if the window has not started */
  load(key: string): Promise<WindowCount | undefined>;
  /** Adds counts to the current windows, and restarts windows that have ended. @returns the totals */
  add(counts: readonly WindowCount[]): Promise<WindowCount[]>;
  /** Deletes windows that have ended. */
  prune(): Promise<void>;
  stop(): Promise<void>;
};

/** Statement timeout. A request waits for a statement only when its window starts. */
export const STORE_TIMEOUT_MS = 500;

/** One connection for exchanges, one for loading new windows. */
const CONNECTIONS = 2;
const PRUNED_AT_ONCE = 1_000;
/** The clocks of the processes differ, so a window that has ended for one process may be current for another. */
const KEPT_AFTER_END_MS = 60_000;

const toCount = ({ key, points, expire }: typeof rateLimit.$inferSelect): WindowCount => ({
  key,
  count: points,
  endsAt: Number(expire),
});

const names = columnNames(rateLimit);
const { placeholder } = sql;

function prepareStatements(database: Database) {
  const { key, points, expire } = rateLimit;
  const load = database
    .select()
    .from(rateLimit)
    .where(and(sql`${key} = any(${placeholder("keys")})`, gt(expire, placeholder("now"))))
    .prepare("rate_limit_load");
  const hasEnded = sql`${expire} <= ${placeholder("now")}`;
  const add = database
    .insert(rateLimit)
    // The fixed order prevents deadlocks between processes.
    .select(
      sql`select * from unnest(${placeholder("keys")}::text[], ${placeholder("counts")}::integer[],
        ${placeholder("ends")}::bigint[]) as counted (key, points, expire) order by key`,
    )
    .onConflictDoUpdate({
      target: key,
      set: {
        points: sql`case when ${hasEnded} then excluded.${names.points} else ${points} + excluded.${names.points} end`,
        expire: sql`case when ${hasEnded} then excluded.${names.expire} else ${expire} end`,
      },
    })
    .returning()
    .prepare("rate_limit_add");
  const prune = database
    .delete(rateLimit)
    .where(
      sql`${key} in (select ${key} from ${rateLimit} where ${expire} < ${placeholder("before")} order by ${expire}
        limit ${sql.raw(String(PRUNED_AT_ONCE))} for update skip locked)`,
    )
    .prepare("rate_limit_prune");
  return { load, add, prune };
}

/** @param onIdleError receives the errors of connections that break while idle (the pool replaces them) */
export function createRateLimitStore(
  databaseUrl: string,
  onIdleError: (error: Error) => void,
): RateLimitStore {
  const database = connect(databaseUrl, {
    max: CONNECTIONS,
    application: "rate-limits",
    // The server cancels a slow statement, so an exchange that timed out is not counted twice when it is sent again.
    timeoutMs: STORE_TIMEOUT_MS,
    onIdleError,
  });
  const { load, add, prune } = prepareStatements(database);

  return {
    load: batched(
      async (keys: string[]) => (await load.execute({ keys, now: Date.now() })).map(toCount),
      ({ key }) => key,
    ),
    async add(counts) {
      const rows = await add.execute({
        keys: counts.map(({ key }) => key),
        counts: counts.map(({ count }) => count),
        ends: counts.map(({ endsAt }) => endsAt),
        now: Date.now(),
      });
      return rows.map(toCount);
    },
    async prune() {
      const before = Date.now() - KEPT_AFTER_END_MS;
      let deleted: number | null;
      do {
        deleted = (await prune.execute({ before })).rowCount;
      } while (deleted === PRUNED_AT_ONCE);
    },
    stop: () => database.$client.end(),
  };
}
