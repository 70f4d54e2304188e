// The settlement role: waits for its dependencies, then runs its workers until it is stopped.
import { connectChain } from "#core/chain/client.ts";
import type { Config } from "#core/config/config.ts";
import { ConfigError } from "#core/config/config-error.ts";
import { connect, type Database, READERS_LOCK_TIMEOUT } from "#core/db/client.ts";
import { type Deployment, DeploymentMismatch } from "#core/deployment/deployment.ts";
import { openIndexerGuard } from "#core/indexer-state/guard.ts";
import { createIntentReader } from "#core/intent/read-intent.ts";
import { describe, type Logger } from "#core/log.ts";
import { Relayer } from "#core/relayer/relayer.ts";
import { checkSigner } from "#core/relayer/signer.ts";
import { openDeployment, untilItWorks } from "#core/runtime/startup.ts";
import { findUnverified, refuseForeignPayouts } from "./off-ramp/accounts.ts";
import { type OffRamps, WebhookRefused } from "./off-ramp/off-ramp.ts";
import { openOffRamps } from "./off-ramp/open-off-ramps.ts";
import type { WebhookReceiver } from "./off-ramp/receive-webhook.ts";
import { startQueue } from "./payouts/payout-queue.ts";
import type { Context } from "./runtime/context.ts";
import { createGuardian, verifyGuardian } from "./runtime/guardian.ts";
import { Problems } from "./runtime/problems.ts";
import { Workers } from "./workers.ts";

/** Maximum number of concurrent reads. */
const READINGS = 4;

export type RunningRole = {
  /** @throws while the role cannot work */
  checkReady(): Promise<void>;
  /** Receives a webhook of the off-ramp provider. */
  receiveWebhook: WebhookReceiver;
  /** Finishes the work in progress and releases everything. */
  stop(): Promise<void>;
};

type Dependencies = Pick<Context, "config" | "log" | "database" | "reads" | "client" | "deployment"> & {
  bank: Database;
};

/** The parts that tests can replace. */
export type Replacements = { offRamps?: (chosen: OffRamps) => OffRamps };

const isFatal = (error: unknown): error is DeploymentMismatch | ConfigError =>
  error instanceof DeploymentMismatch || error instanceof ConfigError;

/**
 * Checks the provider accounts. An unresponsive provider does not prevent the process from starting: its account is not
 * used until it is verified (pay-out.ts).
 * @throws ConfigError if an account differs from its configuration, or payouts are open at an account that is not
 *   configured
 */
async function checkAccounts({ log, database }: Dependencies, deployment: Deployment, offRamps: OffRamps) {
  await refuseForeignPayouts(database, deployment, offRamps);
  for (const [account, error] of await findUnverified(offRamps)) {
    if (error instanceof ConfigError) throw error;
    log.error(
      { account, cause: describe(error) },
      "the account is not verified: no payouts are made from it",
    );
  }
}

/** Creates everything that the workers need. It throws the error that prevents the process from being ready. */
async function prepare(
  given: Dependencies,
  problems: Problems,
  replacements: Replacements,
): Promise<Context> {
  const { config, log, database, reads, bank, client, deployment } = given;
  await checkSigner(config);
  const guard = openIndexerGuard(config, { database, client, deployment });
  const relayer = new Relayer(database, client, deployment, config, (problem, error) =>
    problems.report(problem, error),
  );
  const guardian = createGuardian(given, (problem, error) => problems.report(`guardian: ${problem}`, error));
  const chosen = await openOffRamps(config, bank);
  const offRamps = replacements.offRamps?.(chosen) ?? chosen;
  await checkAccounts(given, deployment, offRamps);
  const reader = createIntentReader({ reads, config, guard });
  const boss = await startQueue(config.databaseUrl, problems);
  const parts = { config, log, database, reads, client, deployment };
  return { ...parts, guard, reader, relayer, guardian, boss, offRamps };
}

/**
 * Starts the role. Its dependencies may still be starting.
 * @param onFatal called if the role can never work: chain, contract or token differ from the database's record, the
 *   signer lacks the operator's key, the guardian differs from the contract's, or the provider's account differs from
 *   that of open payouts
 */
export function startRole(
  config: Config,
  log: Logger,
  onFatal: (error: Error) => void,
  replacements: Replacements = {},
): RunningRole {
  const problems = new Problems(log);
  const onIdleError = (error: Error) => problems.report("idle connection", error);
  const pool = { application: "settlement", onIdleError };
  const database = connect(config.databaseUrl, {
    ...pool,
    max: config.databasePool,
    seekCost: 1.1,
    lockTimeout: READERS_LOCK_TIMEOUT,
  });
  const keptPlans = {
    ...pool,
    plans: "kept",
    seekCost: 1.1,
    lockTimeout: READERS_LOCK_TIMEOUT,
  } as const;
  const reads = connect(config.databaseUrl, { ...keptPlans, max: READINGS });
  const scanReads = connect(config.databaseUrl, { ...keptPlans, max: 1 });
  const bank = connect(config.databaseUrl, { application: "mock-bank", onIdleError, max: 4 });
  const client = connectChain(config);
  const stopping = new AbortController();
  let workers: Workers | undefined;

  async function begin(deployment: Deployment): Promise<void> {
    let context: Context | undefined;
    try {
      const parts = { config, log, database, reads, bank, client, deployment };
      context = await prepare(parts, problems, replacements);
      const ready = new Workers(context, problems, scanReads);
      await ready.start();
      workers = ready;
    } catch (error) {
      await context?.boss.stop({ graceful: false }).catch(() => undefined);
      throw error;
    }
    problems.resolve("start");
    const { deployment: found, relayer, guardian } = context;
    const signers = { operator: relayer.account.address, guardian: guardian?.relayer.account.address };
    log.info({ deployment: found.id, ...signers }, "started");
  }

  async function start(): Promise<void> {
    const onFailure = (error: unknown) => {
      if (isFatal(error)) throw error;
      problems.report("start", error);
    };
    const { signal } = stopping;
    const alsoCompare = (deployment: Deployment) => verifyGuardian(client, config, deployment);
    const open = () => openDeployment({ config, database, client, log, alsoCompare }, onFatal, signal);
    try {
      const deployment = await untilItWorks(open, onFailure, signal);
      await untilItWorks(() => begin(deployment), onFailure, signal);
    } catch (error) {
      if (isFatal(error)) return onFatal(error);
      if (!stopping.signal.aborted) throw error;
    }
  }

  const started = start();
  return {
    async checkReady() {
      if (!workers) throw new Error("The workers have not started yet.");
      await workers.checkReady();
    },
    async receiveWebhook(headers, body) {
      if (!workers) throw new Error("The workers have not started yet.");
      const { receiveWebhook } = workers;
      if (!receiveWebhook) throw new WebhookRefused(404, "No provider that sends webhooks is configured.");
      await receiveWebhook(headers, body);
    },
    async stop() {
      stopping.abort();
      await started;
      await workers?.stop();
      await Promise.all([database, reads, scanReads, bank].map(({ $client }) => $client.end()));
    },
  };
}
