// Runs a separate Postgres for the benchmark, in a temporary folder, that counts the reads of every statement
// (pg_stat_statements).
import { statfsSync } from "node:fs";
import { Client } from "pg";
import { startPostgres } from "#scripts/devnet/postgres.ts";
import { postgresFolder } from "#scripts/devnet/postgres-home.ts";
import { openTestFolder, removeTestFolder } from "#scripts/devnet/test-folder.ts";
import { UserError } from "#scripts/shared/errors.ts";

/**
 * Data need not survive a crash. Without full-page writes, the size of the WAL does not depend on the timing of
 * checkpoints.
 */
const SETTINGS = {
  shared_preload_libraries: "pg_stat_statements",
  "pg_stat_statements.max": "10000",
  "pg_stat_statements.track_utility": "on",
  compute_query_id: "on",
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  shared_buffers: "1GB",
  maintenance_work_mem: "512MB",
  max_wal_size: "4GB",
};

/** @throws UserError unless the disk for the data has enough free space */
function requireRoom(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize >= bytes) return;
  const gigabytes = (count: number) => (count / 2 ** 30).toFixed(0);
  throw new UserError(
    `${folder} has ${gigabytes(bavail * bsize)} GB left; ${gigabytes(bytes)} GB are required.`,
  );
}

export type Server = { folder: string; stop(): Promise<void> };

/**
 * Starts the Postgres server and uses it for every stack that this process starts.
 * @param room the number of bytes that must be free
 */
export async function startServer(room: number): Promise<Server> {
  const { folder, postgres: home, logs } = await openTestFolder();
  const options = { folder: home, log: `${logs}/postgres.log`, durable: true };
  const first = await startPostgres(options);
  requireRoom(postgresFolder(home), room);
  const client = new Client({ connectionString: first.url("postgres") });
  await client.connect();
  for (const [name, value] of Object.entries(SETTINGS)) {
    await client.query(`alter system set ${name} = ${client.escapeLiteral(value)}`);
  }
  await client.end();
  await first.stop();
  const postgres = await startPostgres(options);
  process.env.TEST_FOLDER = folder;
  process.env.TEST_DATABASE_ADMIN_URL = postgres.url("postgres");
  return {
    folder,
    async stop() {
      await postgres.stop();
      await removeTestFolder(folder);
    },
  };
}
