// Brings the service's own tables up to date. The chain's tables belong to the indexer.
import { join } from "node:path";
import { migrate as runMigrations } from "drizzle-orm/node-postgres/migrator";
import { connect } from "#core/db/client.ts";
import { root } from "./paths.ts";

const migrationsFolder = join(root, "core/db/migrations");

/** Safe to call from several processes at once: one migrates, the others wait for it. */
export async function migrate(databaseUrl: string): Promise<void> {
  const database = connect(databaseUrl, { max: 1, application: "migrate" });
  try {
    // One connection, so the session's lock covers the migration.
    await database.execute("select pg_advisory_lock(hashtextextended('gateway.migrate', 0))");
    await runMigrations(database, { migrationsFolder, migrationsSchema: "gateway_migrations" });
  } finally {
    await database.$client.end();
  }
}
