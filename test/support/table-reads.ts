// PostgreSQL's read statistics for each table.
import { Client } from "pg";
import { until } from "#scripts/shared/wait.ts";

/** The number of sequential scans, and the number of rows fetched through indexes. */
export type TableReads = { scans: number; rows: number };

/**
 * Waits until every session with these application names has ended. A backend reports its statistics when it exits,
 * after its client has disconnected.
 */
export async function sessionsEnded(databaseUrl: string, applications: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const ended = async () => {
    const { rowCount } = await client.query(
      "select 1 from pg_stat_activity where datname = current_database() and application_name = any($1)",
      [applications],
    );
    return rowCount === 0;
  };
  try {
    await until(ended, { what: `end of sessions ${applications.join(", ")}`, timeoutMs: 10_000 });
  } finally {
    await client.end();
  }
}

/** Calls `end`, which closes an application's sessions, and waits until each has reported its statistics. */
export async function endSessions(
  databaseUrl: string,
  application: string,
  end: () => Promise<unknown>,
): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const connected = "select pid from pg_stat_activity where datname = current_database()";
  try {
    const { rows } = await client.query<{ pid: number }>(`${connected} and application_name = $1`, [
      application,
    ]);
    const before = rows.map(({ pid }) => pid);
    await end();
    await until(async () => (await client.query(`${connected} and pid = any($1)`, [before])).rowCount === 0, {
      what: `end of sessions of ${application}`,
      timeoutMs: 10_000,
    });
  } finally {
    await client.end();
  }
}

/** Returns the reads of each gateway and indexer table with at least `minRows` rows. */
export async function tableReads(databaseUrl: string, minRows: number): Promise<Record<string, TableReads>> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; scans: string; rows: string }>(
      `select relname as name, seq_scan as scans, coalesce(idx_tup_fetch, 0) as rows from pg_stat_user_tables
       where schemaname in ('gateway', 'chain') and n_live_tup >= $1 order by relname`,
      [minRows],
    );
    return Object.fromEntries(
      rows.map(({ name, ...row }) => [name, { scans: Number(row.scans), rows: Number(row.rows) }]),
    );
  } finally {
    await client.end();
  }
}
