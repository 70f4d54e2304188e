// Starts a role's process: validates its configuration, and loads the deployment on which the database and the chain
// agree.
import { setTimeout as delay } from "node:timers/promises";
import { backoffMs } from "../backoff.ts";
import type { ChainClient } from "../chain/client.ts";
import type { Config } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import { type Networks, readNetworks, readOwnNetwork } from "../config/live-config.ts";
import type { Database } from "../db/client.ts";
import { isDatabaseUnavailable } from "../db/errors.ts";
import {
  type Deployment,
  DeploymentMismatch,
  describeUnlisted,
  readDeployment,
  verifyOnChain,
} from "../deployment/deployment.ts";
import { ServiceError } from "../errors.ts";
import { describe, type Logger } from "../log.ts";
import type { Currency } from "../money.ts";
import { checkSigner } from "../relayer/signer.ts";

const FIRST_RETRY_MS = 200;
const LAST_RETRY_MS = 5_000;

/** Exits the process with the message of a ConfigError, which says what to set. */
function orExit<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

/**
 * Reads the configuration of every network. If it is invalid, exits the process with a message that says what to set.
 */
export const configuredNetworks = (): Networks => orExit(readNetworks);

/**
 * Reads the configuration of the network that this process serves. With GATEWAY_NETWORK=live, the LIVE_… variables
 * configure it. If the configuration is invalid, exits the process with a message that says what to set.
 */
export const configured = (): Config => orExit(readOwnNetwork);

/**
 * Retries an attempt until it succeeds, because dependencies may still be starting.
 * @param onFailure called with each failure; if it throws, the retries end
 * @throws the signal's reason if the signal is aborted
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
    const pause = backoffMs(FIRST_RETRY_MS, LAST_RETRY_MS, failures);
    await delay(pause, undefined, signal && { signal });
  }
}

/** The settings that a role needs to find its deployment. */
export type DeploymentSources = {
  config: Config;
  database: Database;
  client: ChainClient;
  log: Logger;
  /** Compares the settings that only this role depends on. */
  alsoCompare?: (deployment: Deployment) => Promise<void>;
};

function logUnlisted(log: Logger, deployment: Deployment, unlisted: Currency[]): void {
  for (const currency of unlisted) log.error({ currency }, describeUnlisted(deployment, currency));
}

/**
 * Returns the verified deployment, for a role that does part of its work without the chain. Its settings are compared
 * with the chain. If the node does not respond, the process starts with the settings of the verified record, and
 * compares them as soon as the node responds.
 * @param onMismatch called if the node responds later and differs from the verified record
 * @throws DeploymentMismatch if configuration, recorded deployment and chain differ
 */
export async function openDeployment(
  { config, database, client, log, alsoCompare }: DeploymentSources,
  onMismatch: (error: Error) => void,
  signal?: AbortSignal,
): Promise<Deployment> {
  const deployment = await readDeployment(database, config);
  const compare = async () => {
    logUnlisted(log, deployment, await verifyOnChain(client, deployment));
    await alsoCompare?.(deployment);
  };
  try {
    await compare();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { verifiedAt, verifiedBy } = deployment;
    const cause = describe(error);
    log.warn(
      { verifiedAt, verifiedBy, cause },
      "the node does not respond: starting with the previously verified settings",
    );
    const onFailure = (later: unknown) => {
      if (!(later instanceof ServiceError)) throw later;
    };
    untilItWorks(compare, onFailure, signal).catch((later) => {
      if (!signal?.aborted) onMismatch(later);
    });
  }
  return deployment;
}

/** Exits the process, because it can never work. */
const endWith = (log: Logger) => (error: Error) => {
  log.fatal(error.message);
  process.exit(1);
};

/** Waits for dependencies that are still starting. Exits the process if configuration, record and chain differ. */
const waitFor = (find: () => Promise<Deployment>, log: Logger): Promise<Deployment> =>
  untilItWorks(find, (error) => {
    if (error instanceof DeploymentMismatch) endWith(log)(error);
    if (!isDatabaseUnavailable(error) && !(error instanceof ServiceError)) throw error;
    log.warn({ cause: describe(error) }, "waiting for database and chain");
  });

/** Waits only for the database; see `openDeployment`. */
export const waitForDeployment = (sources: DeploymentSources): Promise<Deployment> =>
  waitFor(() => openDeployment(sources, endWith(sources.log)), sources.log);

/** Waits for the database and the chain, for a role that can do nothing without both. */
export const waitForDeploymentOnChain = ({
  config,
  database,
  client,
  log,
}: DeploymentSources): Promise<Deployment> =>
  waitFor(async () => {
    const deployment = await readDeployment(database, config);
    logUnlisted(log, deployment, await verifyOnChain(client, deployment));
    return deployment;
  }, log);

/** Waits for the operator's signer. Exits the process if the signer has a different key. */
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
