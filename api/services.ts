// What the operations work with, made once a process.

import { prepareCallerLookup } from "#core/api-keys.ts";
import { type ChainClient, connectChain } from "#core/chain/client.ts";
import type { Config } from "#core/config.ts";
import type { Database } from "#core/db/client.ts";
import { createIndexerGuard } from "#core/db/guard.ts";
import { createIntentReader, type IntentReader } from "#core/db/read-intent.ts";
import type { Deployment } from "#core/deployment.ts";
import { indexerBuildOf } from "#core/indexer-build.ts";
import { describe, type Logger } from "#core/log.ts";
import { Relayer } from "#core/relayer/relayer.ts";
import { type Authenticate, authenticateWith } from "./http/authenticate.ts";
import { Idempotency } from "./http/idempotency.ts";

export type Services = {
  config: Config;
  database: Database;
  client: ChainClient;
  deployment: Deployment;
  reader: IntentReader;
  relayer: Relayer;
  authenticate: Authenticate;
  idempotency: Idempotency;
  log: Logger;
};

export function createServices(options: {
  config: Config;
  database: Database;
  deployment: Deployment;
  log: Logger;
}): Services {
  const { config, database, deployment, log } = options;
  const client = connectChain(config);
  const guard = createIndexerGuard({ database, client, deployment, build: indexerBuildOf(deployment) });
  return {
    ...options,
    client,
    reader: createIntentReader({ database, config, guard }),
    relayer: new Relayer(database, client, deployment, config, (problem, error) =>
      log.warn({ cause: describe(error) }, problem),
    ),
    authenticate: authenticateWith(prepareCallerLookup(database)),
    idempotency: new Idempotency(database),
  };
}
