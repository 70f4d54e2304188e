// What PostgreSQL has read of each table. A session's counts are in when it has ended.
import { Client } from "pg";

/** How often a table was read from end to end, and how many rows were fetched by an index. */
export type TableReads = { scans: number; rows: number };

/** Of the gateway's and the indexer's tables with so many rows or more. */
export async function tableReads(
  databaseUrl: string,
  leastRows: number,
): Promise<Record<string, TableReads>> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; scans: string; rows: string }>(
      `select relname as name, seq_scan as scans, coalesce(idx_tup_fetch, 0) as rows from pg_stat_user_tables
       where schemaname in ('gateway', 'chain') and n_live_tup >= $1 order by relname`,
      [leastRows],
    );
    return Object.fromEntries(
      rows.map(({ name, ...row }) => [name, { scans: Number(row.scans), rows: Number(row.rows) }]),
    );
  } finally {
    await client.end();
  }
}
