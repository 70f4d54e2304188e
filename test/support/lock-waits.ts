// Waits for sessions that wait for locks.
import { type SQL, sql } from "drizzle-orm";
import { until } from "#scripts/shared/wait.ts";

type Reader = { execute(query: SQL): Promise<{ rows: unknown[] }> };

/** Waits until another session of the database waits for a lock. */
export const untilBlocked = (database: Reader): Promise<unknown> =>
  until(
    async () => {
      const { rows } = await database.execute(
        sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length > 0;
    },
    { what: "A wait for a lock", timeoutMs: 20_000 },
  );
