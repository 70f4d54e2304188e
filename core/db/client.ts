// A process's database connections.
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import { Pool, type PoolClient } from "pg";

export type Database = NodePgDatabase & { $client: Pool };
/**
 * Lock timeout of readers in milliseconds. It is shorter than the time that the indexer waits before it yields
 * (indexer/main.ts).
 */
export const READERS_LOCK_TIMEOUT = 3_000;

/**
 * Options of every pool, with timeouts in milliseconds. The database's own timeout expires first: the client gives up
 * only if the database does not respond.
 */
export const RESPONSE_TIMEOUTS = {
  connectionTimeoutMillis: 5_000,
  statement_timeout: 30_000,
  query_timeout: 35_000,
  keepAlive: true,
};

/** A transaction on the service's own tables. */
export type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0];

/**
 * @param plans `kept`: prepared statements use one generic plan. This is for reads by key, which cost more to plan than
 * to execute. Conditions of partial indexes must be literals in these statements, because a generic plan does not know
 * the parameters
 * @param seekCost `random_page_cost`. With the default of 4 (for rotating disks), PostgreSQL uses a sequential scan to
 * find a hundred rows out of thousands
 * @param lockTimeout milliseconds after which a statement stops waiting for a lock. Required by readers of the
 * indexer's views, because PostgreSQL checks for deadlocks only once per wait and misses later ones
 * @param timeoutMs timeout of statements and of opening a connection. Default: 30 and 5 seconds
 * @param onIdleError called when a connection breaks while it is idle (the pool replaces it)
 */
export function connect(
  url: string,
  options: {
    max?: number;
    application: string;
    plans?: "kept";
    seekCost?: number;
    lockTimeout?: number;
    timeoutMs?: number;
    onIdleError?: (error: Error) => void;
  },
): Database {
  const settings = [
    ...(options.plans === "kept" ? ["plan_cache_mode=force_generic_plan"] : []),
    ...(options.seekCost === undefined ? [] : [`random_page_cost=${options.seekCost}`]),
  ];
  const pool = new Pool({
    connectionString: url,
    max: options.max ?? 10,
    application_name: options.application,
    ...RESPONSE_TIMEOUTS,
    ...(options.timeoutMs !== undefined && timeoutsOf(options.timeoutMs)),
    ...(options.lockTimeout === undefined ? {} : { lock_timeout: options.lockTimeout }),
    ...(settings.length === 0 ? {} : { options: settings.map((one) => `-c ${one}`).join(" ") }),
    // Opening a connection, and planning its first statements, costs more than keeping it between two peaks.
    idleTimeoutMillis: 60_000,
    idle_in_transaction_session_timeout: 30_000,
  });
  pool.on("error", options.onIdleError ?? (() => undefined));
  // A connection that breaks between two statements of a transaction emits only this event, which would crash the
  // process if unhandled. The next statement then fails and reports the error to its caller.
  pool.on("connect", (client) => client.on("error", () => undefined));
  const database = drizzle({ client: pool, casing: "snake_case" });
  database.transaction = createTransactions(pool);
  return database;
}

const timeoutsOf = (ms: number) => ({
  connectionTimeoutMillis: ms,
  statement_timeout: ms,
  query_timeout: ms + 100,
});

/** @types/pg lacks this method of pg: `I` means that the connection is in no transaction. */
type WithStatus = PoolClient & { getTransactionStatus(): "I" | "T" | "E" | null };

/**
 * Creates a replacement for drizzle's own function, which keeps a connection forever if `begin` fails, returns one that
 * does not respond to the pool, and throws the error of a failed `rollback` instead of that of the callback.
 */
function createTransactions(pool: Pool): Database["transaction"] {
  const connections = new WeakMap<PoolClient, NodePgDatabase>();
  return async (act, config) => {
    const client = (await pool.connect()) as WithStatus;
    const connection = connections.get(client) ?? drizzle({ client, casing: "snake_case" });
    connections.set(client, connection);
    let began = false;
    const failures: unknown[] = [];
    try {
      return await connection.transaction(async (tx) => {
        began = true;
        try {
          return await act(tx);
        } catch (error) {
          failures.push(error);
          throw error;
        }
      }, config);
    } catch (error) {
      throw failures.length > 0 ? failures[0] : error;
    } finally {
      // The pool closes a connection whose transaction may not have ended.
      client.release(!began || client.getTransactionStatus() !== "I");
    }
  };
}
