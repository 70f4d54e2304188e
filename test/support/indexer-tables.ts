// Creates Ponder's tables for cached RPC data, as Ponder does on its first start. It takes a second, so it is done
// once, in the template from which the test databases are copied.
import { join } from "node:path";
import { Pool } from "pg";
import { pino } from "pino";
import { root } from "#scripts/shared/paths.ts";

const SCHEMA = "ponder_sync";

export async function createSyncTables(connectionString: string): Promise<void> {
  const ponder = join(root, "node_modules/ponder");
  const { buildMigrationProvider } = await import(join(ponder, "dist/esm/sync-store/migrations.js"));
  const { Kysely, Migrator, PostgresDialect, WithSchemaPlugin } = await import(
    Bun.resolveSync("kysely", ponder)
  );
  const pool = new Pool({ connectionString, max: 1 });
  const db = new Kysely({
    dialect: new PostgresDialect({ pool }),
    plugins: [new WithSchemaPlugin(SCHEMA)],
  });
  try {
    await pool.query(`CREATE SCHEMA ${SCHEMA}`);
    const provider = buildMigrationProvider(pino({ level: "silent" }));
    const { error } = await new Migrator({ db, provider, migrationTableSchema: SCHEMA }).migrateToLatest();
    if (error) throw error;
  } finally {
    await db.destroy();
  }
}
