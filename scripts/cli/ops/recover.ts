// The steps of `npm run ops -- recover` (recover-command.ts). With --apply, the command repairs a database
// that has lost its latest writes, and finishes with a reconciliation. Otherwise, it only lists the repairs.
import pino from "pino";
import { askChain } from "#core/chain/client.ts";
import type { Config } from "#core/config/config.ts";
import type { Database } from "#core/db/client.ts";
import { ServiceError } from "#core/errors.ts";
import { wallTime } from "#core/intent/payment-time.ts";
import { createIntentReader } from "#core/intent/read-intent.ts";
import { Relayer } from "#core/relayer/relayer.ts";
import { startQueue } from "#settlement/payouts/payout-queue.ts";
import { partition } from "#settlement/reconciliation/discrepancy.ts";
import {
  isOpen,
  type KnownDifference,
  keepDifferences,
} from "#settlement/reconciliation/known-differences.ts";
import { reconcile } from "#settlement/reconciliation/reconcile.ts";
import { createRecovery, type Scope } from "#settlement/recovery/recover.ts";
import type { Decision, Repair } from "#settlement/recovery/repair.ts";
import type { Context } from "#settlement/runtime/context.ts";
import { Problems } from "#settlement/runtime/problems.ts";
import { UserError } from "../../shared/errors.ts";
import { openChain } from "../shared/open-chain.ts";
import { openNamedOffRamps } from "../shared/open-named-off-ramps.ts";
import { ask, waitingOperations } from "./approve.ts";
import { CONTROLLED } from "./controlled.ts";

/** The result of a run with --apply. */
export type Recovered = {
  applied: Repair[];
  /** Losses that remain after the repairs, except for unknown transfers, which the reconciliation reports. */
  left: Repair[];
  /** Unacknowledged differences of the final reconciliation. */
  differences: KnownDifference[];
  acknowledged: KnownDifference[];
  /** Operations that wait for a second person to approve an acknowledgement. */
  waiting: number[];
};

/**
 * Maximum number of blocks by which the indexer and the node differ. The alert IndexerLag (docs/alerts.yaml)
 * has the same threshold.
 */
const MAX_BLOCKS_BEHIND = 10;
/** Maximum age of the node's latest block: longer than chains normally pause between blocks. */
const MAX_TIP_AGE_S = 900;

/**
 * Requires an indexer and a node that are close to the chain's head. Recovery cannot find losses in blocks
 * that are not indexed, and transfers for their settlements would look unexplained. After a restore, the
 * indexer's tables look complete although they end at the time of the backup, so the head is compared with
 * the node's.
 * @throws UserError if the indexer or the node lags
 */
export async function requireIndexed({
  reader,
  client,
}: {
  reader: Pick<Context["reader"], "head">;
  client: Pick<Context["client"], "getBlock">;
}): Promise<void> {
  const wait = "Start the indexer, and wait until GET /ready on its port reports that it is ready.";
  const ask = async () => [await reader.head(), await askChain(() => client.getBlock())] as const;
  const [head, tip] = await ask().catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error;
    // An error with a cause concerns the node: the indexer is not at fault.
    throw new UserError(error.details.cause === undefined ? `${error.message} ${wait}` : error.message);
  });
  const behind = Number(tip.number) - head.block;
  if (behind > MAX_BLOCKS_BEHIND) throw new UserError(`${behind} blocks are not indexed. ${wait}`);
  const age = wallTime() - Number(tip.timestamp);
  if (behind < -MAX_BLOCKS_BEHIND || age > MAX_TIP_AGE_S) {
    throw new UserError(
      `The node is behind the chain (block ${tip.number}, ${age} s old; indexed up to block ${head.block}). Wait until it is in sync.`,
    );
  }
}

/** Creates the workers' context for a command that runs their handlers itself. Close it to stop the queue. */
export async function openRecoveryContext(
  config: Config,
  database: Database,
): Promise<Context & { close(): Promise<void> }> {
  const log = pino({ level: "warn" }, pino.destination(2));
  const { client, deployment, guard } = await openChain(config, database);
  const boss = await startQueue(config.databaseUrl, new Problems(log));
  try {
    return {
      ...{ config, log, database, reads: database, client, deployment, guard, boss },
      reader: createIntentReader({ reads: database, config, guard }),
      relayer: new Relayer(database, client, deployment, config),
      guardian: undefined,
      offRamps: await openNamedOffRamps(config, database),
      close: () => boss.stop({ graceful: false }),
    };
  } catch (error) {
    await boss.stop({ graceful: false });
    throw error;
  }
}

/**
 * Acknowledges the providers' transfers without a payout. Above the approval limit, or if the amount at stake
 * is unknown, a second person must approve.
 * @returns the operations that wait for approval, including earlier ones
 */
async function acknowledge(context: Context, found: KnownDifference[], { by, reason }: Decision) {
  const { database, offRamps, config } = context;
  const parts = {
    ...{ database, feeBearer: config.returnFeeBearer },
    ...{ offRamps: async () => offRamps, chain: async () => context },
  };
  const waiting: number[] = [];
  const asked = new Map(
    (await waitingOperations(database))
      .filter(({ action }) => action === "acknowledge")
      .map((row) => [row.subject, row.id] as const),
  );
  for (const { id } of found.filter((one) => one.kind === "unknown_transfer" && isOpen(one))) {
    const subject = String(id);
    const earlier = asked.get(subject);
    const { operation, waits } =
      earlier === undefined
        ? await ask(parts, CONTROLLED, "acknowledge", { subject, arguments: { reason }, by })
        : { operation: earlier, waits: true };
    if (waits) waiting.push(operation);
  }
  return waiting;
}

/**
 * Applies the repairs, reconciles, and acknowledges unknown transfers.
 * @param secondReadMs the delay between the reconciliation's two comparisons (see `reconcile`)
 */
export async function recover(
  context: Context,
  scope: Scope,
  decision: Decision,
  secondReadMs?: number,
): Promise<Recovered> {
  const recovery = createRecovery(context, scope);
  const applied = await recovery.apply(decision);
  const compare = async () => {
    const found = partition(await reconcile(context, { since: scope.since }, secondReadMs)).differences;
    return keepDifferences(context.database, found);
  };
  const found = await compare();
  const waiting = await acknowledge(context, found, decision);
  const known = await keepDifferences(context.database, found);
  return {
    applied,
    left: (await recovery.find()).filter(({ kind }) => kind !== "unknown_transfer"),
    differences: known.filter(isOpen),
    acknowledged: known.filter((one) => !isOpen(one)),
    waiting,
  };
}
