// Starts the indexer. One process becomes the writer and starts Ponder; all others wait as standbys.
import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { Client } from "pg";
import { connectChain } from "#core/chain/client.ts";
import type { Config } from "#core/config/config.ts";
import { CHAIN_SCHEMA } from "#core/db/chain.ts";
import { connect, type Database } from "#core/db/client.ts";
import { nameIndexerBuild } from "#core/indexer-state/indexer-build.ts";
import { createLog, describe, type Logger } from "#core/log.ts";
import { configured, waitForDeploymentOnChain } from "#core/runtime/startup.ts";
import { requireFreePort } from "./require-free-port.ts";

/**
 * Becomes the only writer of a schema, or waits as a standby. The lock ends with the database session, so a
 * killed writer releases it immediately. Ponder's own lock would last another 25 seconds, so it is removed here.
 */
async function becomeWriter(config: Config, log: Logger, schema: string): Promise<void> {
  const client = new Client({
    connectionString: config.databaseUrl,
    application_name: "indexer lock",
    keepAlive: true,
  });
  client.on("error", (error) => {
    log.error({ cause: describe(error) }, "lost the writer lock");
    process.exit(1);
  });
  await client.connect();
  await client.query("select pg_advisory_lock(hashtextextended($1, 0))", [`indexer.${schema}`]);
  const { rows } = await client.query("select to_regclass($1) as meta", [`"${schema}"._ponder_meta`]);
  if (rows[0]?.meta) {
    await client.query(`update "${schema}"._ponder_meta set value = jsonb_set(value, '{is_locked}', '0')`);
  }
}

/** Must be longer than readers wait for a lock (READERS_LOCK_TIMEOUT). */
const DEADLOCK_TIMEOUT = "10s";

/**
 * Ensures that Ponder wins every deadlock with a reader. Ponder's recovery rebuilds tables that readers join in
 * any order. If the recovery lost each deadlock, it would never end. A reader's statement fails instead and is
 * retried. This setting requires a superuser, or `GRANT SET ON PARAMETER deadlock_timeout`.
 */
async function extendDeadlockTimeout(database: Database, databaseUrl: string, log: Logger): Promise<string> {
  const { rows } = await database.execute<{ allowed: boolean }>(
    sql`select has_parameter_privilege('deadlock_timeout', 'SET') as allowed`,
  );
  const url = new URL(databaseUrl);
  const options = url.searchParams.get("options") ?? "";
  if (rows[0]?.allowed)
    url.searchParams.set("options", `${options} -c deadlock_timeout=${DEADLOCK_TIMEOUT}`.trim());
  else
    log.warn(
      "This database role is not allowed to set deadlock_timeout: a recovery may be delayed by readers.",
    );
  return url.href;
}

const config = configured();
const log = createLog("indexer", config.logLevel);
const database = connect(config.databaseUrl, { max: 1, application: "indexer start" });
const client = connectChain(config);
const deployment = await waitForDeploymentOnChain({ config, database, client, log });
process.env.INDEXER_DATABASE_URL = await extendDeadlockTimeout(database, config.databaseUrl, log);
await database.$client.end();
const build = nameIndexerBuild(deployment);
const schema = `chain_${build}`;
await becomeWriter(config, log, schema);
await requireFreePort(config.http.indexerPort, config.http.host);

process.env.INDEXER_BUILD = build;
process.env.PONDER_TELEMETRY_DISABLED = "1";
process.env.PORT = String(config.http.indexerPort);
process.argv = [
  ...process.argv.slice(0, 2),
  "start",
  ...["--root", fileURLToPath(new URL(".", import.meta.url))],
  ...["--config", "../ponder.config.ts"],
  ...["--schema", schema],
  ...["--views-schema", CHAIN_SCHEMA],
  ...["--hostname", config.http.host],
  ...["--log-format", "json"],
  ...["--log-level", config.logLevel],
];
await import(fileURLToPath(new URL("../node_modules/ponder/dist/esm/bin/ponder.js", import.meta.url)));
