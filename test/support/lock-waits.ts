// Waits for sessions that wait for locks.
import { type SQL, sql } from "drizzle-orm";
import { until } from "#scripts/shared/wait.ts";

type Reader = { execute(query: SQL): Promise<{ rows: unknown[] }> };

/** Waits until at least this many other sessions of the database wait for locks. */
export const untilBlocked = (database: Reader, sessions = 1): Promise<unknown> =>
  until(
    async () => {
      const { rows } = await database.execute(
        sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length >= sessions;
    },
    { what: `${sessions} sessions that wait for locks`, timeoutMs: 20_000 },
  );
