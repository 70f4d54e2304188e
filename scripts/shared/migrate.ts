// Migrates the service's own tables. The tables with chain data belong to the indexer.
import { join } from "node:path";
import { migrate as runMigrations } from "drizzle-orm/node-postgres/migrator";
import { connect } from "#core/db/client.ts";
import { root } from "./paths.ts";

const migrationsFolder = join(root, "core/db/migrations");

/** Several processes can call this concurrently: one of them migrates, and the others wait. */
export async function migrate(databaseUrl: string): Promise<void> {
  const database = connect(databaseUrl, { max: 1, application: "migrate" });
  try {
    // The pool has only one connection, so the session-level lock covers the migration.
    await database.execute("select pg_advisory_lock(hashtextextended('gateway.migrate', 0))");
    await runMigrations(database, { migrationsFolder, migrationsSchema: "gateway_migrations" });
  } finally {
    await database.$client.end();
  }
}
