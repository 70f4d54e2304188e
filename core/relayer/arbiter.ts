// The arbiter of a local chain, whose key the gateway has. It sends transactions like the operator, but with its own
// nonces.
import type { ChainClient } from "../chain/client.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../db/client.ts";
import type { Deployment } from "../deployment/deployment.ts";
import { Relayer } from "./relayer.ts";

/** @returns undefined if the gateway has no arbiter key */
export function createArbiter(
  database: Database,
  client: ChainClient,
  deployment: Deployment,
  { arbiter, arbiterKey, chain }: Pick<Config, "arbiter" | "arbiterKey" | "chain">,
  onProblem?: (problem: string, error: unknown) => void,
): Relayer | undefined {
  if (arbiterKey === undefined) return undefined;
  const settings = { operator: arbiter, signing: { key: arbiterKey }, chain };
  return new Relayer(database, client, deployment, settings, onProblem);
}
