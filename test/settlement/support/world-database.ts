// The databases of worlds. A database that a world has left is emptied and used for the next one, because copying the
// template creates several hundred files.
import { drizzle } from "drizzle-orm/node-postgres";
import { Client, type Pool } from "pg";
import { connect, type Database } from "#core/db/client.ts";
import { until } from "#scripts/shared/wait.ts";
import { testDatabase } from "#test/support/stack.ts";

export type WorldDatabase = {
  url: string;
  /**
   * Uses connections of earlier worlds, because opening one costs more than most tests. Prepared statements of one name
   * must therefore have the same text in all worlds.
   */
  database: Database;
  /**
   * Waits until all statements have ended, and allows the database to be used again. All other sessions must be closed.
   * @throws Error if a connection remains in use
   */
  release(timeoutMs?: number): Promise<void>;
};

/** Tables that are filled when the template is made, and not by tests. */
const KEPT = ["pgboss.version", "pgboss.queue", "gateway_migrations.%", "ponder_sync.%"];

const IS_SYSTEM = "nspname in ('information_schema', 'pg_catalog', 'pg_toast') or nspname like 'pg_%temp%'";

type Released = {
  url: string;
  client: Client;
  pool: Pool;
  /** Identifies the structure of the tables, which a test may change. */
  structure: string;
};

const released: Released[] = [];

/** Returns an empty, migrated database. */
export async function takeWorldDatabase(): Promise<WorldDatabase> {
  const one = (await reuseOne()) ?? (await createOne());
  const { pool, end } = closable(one.pool);
  return {
    url: one.url,
    database: drizzle({ client: pool, casing: "snake_case" }),
    async release(timeoutMs = 10_000) {
      end();
      await until(() => one.pool.idleCount === one.pool.totalCount, {
        what: "the world's connections to be returned",
        timeoutMs,
      });
      if (!released.includes(one)) released.push(one);
    },
  };
}

/** Returns the pool for one world. Work that outlives the world must not reach the next one. */
function closable(pool: Pool): { pool: Pool; end(): void } {
  let ended = false;
  const proxy = new Proxy(pool, {
    get(target, name) {
      if (ended && (name === "connect" || name === "query"))
        return () => Promise.reject(new Error("The world of this database is closed."));
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return {
    pool: proxy,
    end() {
      ended = true;
    },
  };
}

async function createOne(): Promise<Released> {
  const url = await testDatabase();
  const client = new Client({ connectionString: url, application_name: "test" });
  // A test may end all sessions of its database. The next use then fails, and another database is created.
  client.on("error", () => undefined);
  await client.connect();
  const { $client: pool } = connect(url, { application: "world" });
  return { url, pool, client, structure: await readStructure(client) };
}

async function reuseOne(): Promise<Released | undefined> {
  for (let one = released.pop(); one; one = released.pop()) {
    const { client, pool, structure } = one;
    const isSame = await isReusable(one).then(
      async (reusable) => reusable && (await readStructure(client)) === structure,
      () => false,
    );
    if (isSame) {
      await flushStatistics(pool);
      await empty(client);
      return one;
    }
    await Promise.all([client.end(), pool.end()]);
  }
  return undefined;
}

/**
 * Whether the test has closed its own sessions, left no transaction and no lock, and left only small tables. Otherwise,
 * a worker of the test may still write, or the next test's statements would read the emptied pages of an index.
 */
async function isReusable({ client, pool }: Released): Promise<boolean> {
  const { rowCount } = await client.query(
    `with session as (
       select state from pg_stat_activity
       where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid())
     select from session having count(*) > $1 or bool_or(state <> 'idle')
     union all
     select from pg_locks where locktype = 'advisory'
       and database = (select oid from pg_database where datname = current_database())
     union all
     select from pg_class c join pg_namespace n on n.oid = relnamespace
     where relkind = 'r' and not (${IS_SYSTEM}) and pg_total_relation_size(c.oid) > 1024 * 1024`,
    [pool.totalCount],
  );
  return rowCount === 0;
}

/** Idle connections would otherwise add the scans of earlier worlds to the next one's statistics up to 10 s later. */
async function flushStatistics(pool: Pool): Promise<void> {
  const connections = Array.from({ length: pool.totalCount });
  await Promise.all(connections.map(() => pool.query("select pg_stat_force_next_flush()")));
}

async function readStructure(client: Client): Promise<string> {
  const { rows } = await client.query<{ structure: string }>(`
    with relation as (select oid, relname from pg_class where relnamespace = 'gateway'::regnamespace)
    select concat_ws(' ',
      (select sum(hashtext(relname)) from relation),
      (select sum(hashtext(attname || atttypid || attnotnull || atthasdef)) from pg_attribute
        where attrelid in (select oid from relation)),
      (select sum(hashtext(conname)) from pg_constraint where conrelid in (select oid from relation)),
      (select sum(hashtext(tgname || tgenabled::text)) from pg_trigger where tgrelid in (select oid from relation)),
      (select sum(hashtext(proname || prosrc)) from pg_proc where pronamespace = 'gateway'::regnamespace),
      (select count(*) from pg_db_role_setting
        where setdatabase = (select oid from pg_database where datname = current_database())),
      -- The indexer's tables, which are created later, have no other indexes at first.
      (select count(*) from pg_index join pg_class on pg_class.oid = indrelid
        where relnamespace::regnamespace::text = 'chain' and not indisprimary)) as structure`);
  return rows[0]?.structure ?? "";
}

async function empty(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select name from (
       select c.oid, format('%I.%I', nspname, relname) as name from pg_class c
       join pg_namespace n on n.oid = relnamespace where relkind = 'r' and not (${IS_SYSTEM})) t
     where not name like any ($1) and pg_relation_size(oid) > 0`,
    [KEPT],
  );
  const tables = rows.map(({ name }) => name);
  // Triggers protect the append-only tables, and foreign keys the order of deletion. Truncating a table also truncates
  // the empty ones that refer to it, each in new files. Without the last statement, the statistics would report the
  // tables as empty up to a second later.
  await client.query(`
    begin;
    set local session_replication_role = replica;
    ${tables.map((table) => `delete from ${table};`).join("\n")}
    select setval(oid, 1, false) from pg_class where relkind = 'S' and relnamespace = 'gateway'::regnamespace;
    delete from pg_statistic where starelid in (select c.oid from pg_class c
      join pg_namespace n on n.oid = relnamespace where not (${IS_SYSTEM}));
    commit;`);
  // Removes the rows from the files, so that the next world reads as few pages as in a new database.
  if (tables.length > 0) await client.query(`vacuum (index_cleanup on) ${tables.join(", ")}`);
  // The planner assumes ten pages for a new table, and none for an emptied one, which it would read without an index.
  await client.query(`
    select pg_clear_relation_stats(nspname, relname) from pg_class c join pg_namespace n on n.oid = relnamespace
    where relkind = 'r' and reltuples >= 0 and not (${IS_SYSTEM});
    select pg_stat_force_next_flush();`);
}
