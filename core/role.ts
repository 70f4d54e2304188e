// How every role begins: a usable configuration, and the deployment that database and chain agree on.
import { setTimeout as delay } from "node:timers/promises";
import { type ChainClient, isUnreachable } from "./chain/client.ts";
import type { Config } from "./config.ts";
import { ConfigError } from "./config-error.ts";
import type { Database } from "./db/client.ts";
import { isDatabaseAway } from "./db/errors.ts";
import { currentDeployment, type Deployment, DeploymentMismatch } from "./deployment.ts";
import { ServiceError } from "./errors.ts";
import { type Networks, readNetworks } from "./live-config.ts";
import type { Logger } from "./log.ts";
import { describe } from "./log.ts";
import { checkSigner } from "./relayer/signer.ts";

const FIRST_RETRY_MS = 200;
const LAST_RETRY_MS = 5_000;

/** The configuration of every network; ends the process with a message that says what to set. */
export function configuredNetworks(): Networks {
  try {
    return readNetworks();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

/**
 * The configuration of the network that this process serves: with GATEWAY_NETWORK=live that of the variables LIVE_….
 * Ends the process with a message that says what to set.
 */
export function configured(): Config {
  const { own, live } = configuredNetworks();
  if (process.env.GATEWAY_NETWORK !== "live") return own;
  if (live) return live;
  console.error(
    "GATEWAY_NETWORK=live, but no live network is configured: set LIVE_DATABASE_URL and its like.",
  );
  process.exit(1);
}

/**
 * Tries until it works: what a role stands on may still be on its way up.
 * @param onFailure is told why it did not; what it throws ends the trying
 * @throws the signal's reason when it is aborted
 */
export async function untilItWorks<T>(
  attempt: () => Promise<T>,
  onFailure: (error: unknown) => void,
  signal?: AbortSignal,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      onFailure(error);
    }
    const pause = Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS);
    await delay(pause, undefined, signal && { signal });
  }
}

/** Waits for the database and the chain, which may be on their way up; ends the process if they do not fit. */
export function waitForDeployment(
  config: Config,
  database: Database,
  client: ChainClient,
  log: Logger,
): Promise<Deployment> {
  return untilItWorks(
    () => currentDeployment(database, client, config),
    (error) => {
      if (error instanceof DeploymentMismatch) {
        log.fatal(error.message);
        process.exit(1);
      }
      if (!isDatabaseAway(error) && !isUnreachable(error)) throw error;
      log.warn({ cause: describe(error) }, "waiting for database and chain");
    },
  );
}

/** Waits for whoever signs as the operator; ends the process if that one has another key. */
export function waitForSigner(config: Config, log: Logger): Promise<void> {
  return untilItWorks(
    () => checkSigner(config),
    (error) => {
      if (error instanceof ConfigError) {
        log.fatal(error.message);
        process.exit(1);
      }
      if (!(error instanceof ServiceError)) throw error;
      log.warn({ cause: describe(error) }, "waiting for the operator's signer");
    },
  );
}
