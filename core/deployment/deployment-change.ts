// Deliberate changes of the recorded deployment: which payments must be finished first, and who made the change.
// Tokens, wallets and the contract determine where all money goes, so every change requires two named people,
// regardless of the limits.
import { and, eq, inArray, isNull, type SQL } from "drizzle-orm";
import type { Hex } from "viem";
import { byOperations, recordAudit } from "../audit/record-audit.ts";
import { ConfigError } from "../config/config-error.ts";
import { AlreadyWaitingError, decideOperation, isWaiting, storeOperation } from "../controls/operations.ts";
import { isAnotherPerson } from "../controls/same-person.ts";
import type { Transaction } from "../db/client.ts";
import type { deployment } from "../db/schema/deployments.ts";
import { intent } from "../db/schema/intents.ts";
import { operation } from "../db/schema/operations.ts";
import type { Currency } from "../money.ts";

type Deployment = typeof deployment.$inferSelect;

/** The operation's name for a change that waits for a second person. */
export const DEPLOYMENT_CHANGE = "change-deployment";

/** Who requests a change and why, or who approves another person's operation. */
export type Change = { by: string; reason: string } | { by: string; approves: number };

/** Maximum number of payments that a message names. */
const NAMED = 3;

/**
 * @returns a description such as `2 payments in DAI are not complete (oldest: …)`; undefined if there is no such
 * payment
 */
async function describeUnfinished(
  tx: Transaction,
  where: string,
  which: SQL | undefined,
): Promise<string | undefined> {
  const count = await tx.$count(intent, which);
  if (count === 0) return undefined;
  const oldest = await tx
    .select({ id: intent.id })
    .from(intent)
    .where(which)
    .orderBy(intent.createdAt)
    .limit(NAMED);
  return `${count} payments ${where} are not complete (oldest: ${oldest.map(({ id }) => id).join(", ")})`;
}

const isUnfinished = (deploymentId: number) =>
  and(eq(intent.deploymentId, deploymentId), isNull(intent.endedAs));

/**
 * Requires that all payments are complete, because a different contract does not have the orders of the recorded one.
 * @throws ConfigError if payments on the recorded contract are not complete
 */
export async function requireFinished(tx: Transaction, deploymentId: number): Promise<void> {
  const unfinished = await describeUnfinished(tx, "on the recorded contract", isUnfinished(deploymentId));
  if (unfinished === undefined) return;
  throw new ConfigError(`${unfinished}. Changing the contract would lose them.`);
}

/**
 * Requires that no open payment uses a changed token. An order keeps its token, so with a new address, its currency
 * would mean two tokens.
 * @param changed tokens that differ from the record, or are not in it
 * @throws ConfigError if payments in one of them are not complete
 */
export async function requireUnusedTokens(
  tx: Transaction,
  { id, tokens }: Pick<Deployment, "id" | "tokens">,
  changed: readonly { currency: Currency }[],
): Promise<void> {
  const known = changed.map(({ currency }) => currency).filter((currency) => currency in tokens);
  if (known.length === 0) return;
  const unfinished = await describeUnfinished(
    tx,
    `in ${known.join(", ")}`,
    and(isUnfinished(id), inArray(intent.currency, known)),
  );
  if (unfinished === undefined) return;
  throw new ConfigError(
    `${unfinished}. Add the token under a different symbol, or wait until they are complete.`,
  );
}

/** The state before and after a change. */
type Recorded = {
  before: Deployment;
  verifiedHash: Hex;
  /**
   * Hashes of the complete record before and after the change: the verified settings, the wallets and the start block.
   */
  fromHash: Hex;
  settingsHash: Hex;
  changes: readonly string[];
};

const request = (
  tx: Transaction,
  { before, fromHash, settingsHash, changes }: Recorded,
  { by, reason }: { by: string; reason: string },
): Promise<number> =>
  storeOperation(
    tx,
    {
      ...{ action: DEPLOYMENT_CHANGE, subject: String(before.id) },
      arguments: { reason, settingsHash, from: fromHash, changes: changes.join("\n") },
    },
    { by, waits: true },
  ).catch((error: unknown) => {
    throw error instanceof AlreadyWaitingError ? new ConfigError(error.message) : error;
  });

/** @throws ConfigError if the operation is not pending, was requested by the same person, or named other settings */
async function approve(tx: Transaction, recorded: Recorded, by: string, id: number): Promise<void> {
  const { before, verifiedHash, fromHash, settingsHash, changes } = recorded;
  const waiting = and(isWaiting(id), eq(operation.action, DEPLOYMENT_CHANGE));
  const [row] = await tx.select().from(operation).where(waiting).for("update");
  if (!row) throw new ConfigError(`Operation ${id} is not a pending change of the deployment.`);
  if (!isAnotherPerson(by, row.requestedBy)) {
    throw new ConfigError(
      `Operation ${id} was requested by ${row.requestedBy}: another person must approve it.`,
    );
  }
  const { reason, from } = row.arguments;
  if (row.subject !== String(before.id) || from !== fromHash || row.arguments.settingsHash !== settingsHash) {
    throw new ConfigError(
      `Operation ${id} was requested with different settings, or for a different recorded deployment:\n${row.arguments.changes}`,
    );
  }
  await decideOperation(tx, id, { by, outcome: "done" });
  await recordAudit(tx, [
    {
      ...byOperations(row.requestedBy),
      ...{
        action: "deployment.change",
        resourceId: `deployment ${before.id}`,
        from: before.verifiedHash,
        to: verifiedHash,
      },
      metadata: { reason, changes, approvedBy: by.trim() },
    },
  ]);
}

/**
 * Stores a change for a second person, or records a second person's approval in the audit log.
 * @returns the id of the pending operation; undefined if the change must be recorded now, in the same transaction
 */
export async function controlChange(
  tx: Transaction,
  recorded: Recorded,
  change: Change,
): Promise<number | undefined> {
  if ("reason" in change) return request(tx, recorded, change);
  await approve(tx, recorded, change.by, change.approves);
  return undefined;
}
