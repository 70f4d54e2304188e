// The dependencies of every worker.
import type { PgBoss } from "pg-boss";
import type { ChainClient } from "#core/chain/client.ts";
import type { Config } from "#core/config/config.ts";
import type { Database } from "#core/db/client.ts";
import type { Deployment } from "#core/deployment/deployment.ts";
import type { IndexerGuard } from "#core/indexer-state/guard.ts";
import type { IntentReader } from "#core/intent/read-intent.ts";
import type { Logger } from "#core/log.ts";
import type { Relayer } from "#core/relayer/relayer.ts";
import type { OffRamps } from "../off-ramp/off-ramp.ts";
import type { Guardian } from "./guardian.ts";

export type Context = {
  config: Config;
  log: Logger;
  database: Database;
  /** Connections for prepared queries that run with every block: they keep the query plans. */
  reads: Database;
  client: ChainClient;
  deployment: Deployment;
  guard: IndexerGuard;
  reader: IntentReader;
  relayer: Relayer;
  /** Undefined if the gateway has no guardian key. */
  guardian: Guardian | undefined;
  boss: PgBoss;
  offRamps: OffRamps;
};
