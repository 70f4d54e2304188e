// What the operations work with, made once a process.
import { type ChainClient, connectChain } from "#core/chain/client.ts";
import type { Config } from "#core/config.ts";
import type { Database } from "#core/db/client.ts";
import { createIndexerGuard } from "#core/db/guard.ts";
import { createIntentReader, type IntentReader } from "#core/db/read-intent.ts";
import type { Deployment } from "#core/deployment.ts";
import { indexerBuildOf } from "#core/indexer-build.ts";
import { createCallerLookup } from "#core/keys/find-caller.ts";
import { KeyListener } from "#core/keys/listen.ts";
import { KeyUse } from "#core/keys/record-use.ts";
import { describe, type Logger } from "#core/log.ts";
import { Relayer } from "#core/relayer/relayer.ts";
import { CheckoutStreams } from "./checkout/streams.ts";
import { Admission } from "./http/authenticate.ts";
import { clientAddressWith } from "./http/client-address.ts";
import { Idempotency } from "./http/idempotency.ts";
import { Metrics } from "./http/metrics.ts";
import { RateLimits } from "./http/rate-limits.ts";
import { createCounters } from "./http/rate-limits-counters.ts";
import { createIntentInserter, type InsertIntent } from "./payment-intents/insert-intents.ts";

export type Services = {
  config: Config;
  database: Database;
  client: ChainClient;
  deployment: Deployment;
  reader: IntentReader;
  relayer: Relayer;
  admission: Admission;
  idempotency: Idempotency;
  insertIntent: InsertIntent;
  checkouts: CheckoutStreams;
  metrics: Metrics;
  log: Logger;
  /** Lets go of what it holds besides the database. */
  stop(): Promise<void>;
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
  const problem = (what: string) => (error: unknown) => log.warn({ cause: describe(error) }, what);
  const reader = createIntentReader({ database, config, guard });
  const metrics = new Metrics({ database, client, reader });
  const limits = new RateLimits(config.rateLimits, createCounters(config, log), metrics.refused);
  const keyListener = new KeyListener(config.databaseUrl, problem("keys: not listening"));
  const keyUse = new KeyUse(database, problem("keys: last use not recorded"));
  return {
    ...options,
    client,
    reader,
    relayer: new Relayer(database, client, deployment, config, (what, error) => problem(what)(error)),
    admission: new Admission(
      createCallerLookup(database, keyListener, keyUse.note),
      limits,
      clientAddressWith(config.trustedProxies),
    ),
    idempotency: new Idempotency(database),
    insertIntent: createIntentInserter(database),
    checkouts: new CheckoutStreams({ config, database, reader, onProblem: problem("checkout streams") }),
    metrics,
    async stop() {
      await Promise.all([keyListener.stop(), keyUse.stop(), limits.stop()]);
    },
  };
}
