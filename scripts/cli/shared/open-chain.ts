// Connects a command to the chain that the gateway works with.
import { connectChain } from "#core/chain/client.ts";
import type { Config } from "#core/config/config.ts";
import type { Database } from "#core/db/client.ts";
import { currentDeployment } from "#core/deployment/deployment.ts";
import { openIndexerGuard } from "#core/indexer-state/guard.ts";
import type { CoverageSources } from "#settlement/payouts/check-coverage.ts";

export async function openChain(config: Config, database: Database): Promise<CoverageSources> {
  const client = connectChain(config);
  const deployment = await currentDeployment(database, client, config);
  const guard = openIndexerGuard(config, { database, client, deployment });
  return { config, client, deployment, guard, reads: database };
}
