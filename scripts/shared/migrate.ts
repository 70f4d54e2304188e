// Migrates the service's own tables. The tables with chain data belong to the indexer.
import { join } from "node:path";
import { migrate as runMigrations } from "drizzle-orm/node-postgres/migrator";
import { connect } from "#core/db/client.ts";
import { UserError } from "./errors.ts";
import { root } from "./paths.ts";

const migrationsFolder = join(root, "core/db/migrations");

/** The first version with `uuidv7()`. */
const OLDEST_POSTGRES = 18;

/** @throws UserError if the server is too old */
export function requirePostgres(version: string): void {
  if (Number.parseInt(version, 10) < OLDEST_POSTGRES)
    throw new UserError(
      `The gateway requires PostgreSQL ${OLDEST_POSTGRES} or newer. This server has version ${version}.`,
    );
}

/**
 * Several processes can call this concurrently: one of them migrates, and the others wait.
 * @throws UserError if the server is too old
 */
export async function migrate(databaseUrl: string): Promise<void> {
  const database = connect(databaseUrl, { max: 1, application: "migrate" });
  try {
    const { rows } = await database.execute<{ version: string }>(
      "select current_setting('server_version') as version",
    );
    requirePostgres(rows[0]?.version ?? "");
    // The pool has only one connection, so the session-level lock covers the migration.
    await database.execute("select pg_advisory_lock(hashtextextended('gateway.migrate', 0))");
    await runMigrations(database, { migrationsFolder, migrationsSchema: "gateway_migrations" });
  } finally {
    await database.$client.end();
  }
}
