// A deliberate change of the recorded deployment: what has to be finished before it, and who changed what.
import { and, eq, inArray, notInArray } from "drizzle-orm";
import { byOperations, recordAudit } from "./audit/record-audit.ts";
import { ConfigError } from "./config-error.ts";
import type { Transaction } from "./db/client.ts";
import type { deployment } from "./db/schema/deployments.ts";
import { intent } from "./db/schema/intents.ts";
import type { Currency } from "./money.ts";

type Deployment = typeof deployment.$inferSelect;

export type Change = { by: string; reason: string };

const isUnfinished = (deploymentId: string) =>
  and(eq(intent.deploymentId, deploymentId), notInArray(intent.lastEmittedStatus, ["FINAL", "CANCELED"]));

/**
 * Another contract knows nothing of the orders of this one.
 * @throws ConfigError when payments on the recorded contract are not finished
 */
export async function requireFinished(tx: Transaction, deploymentId: string): Promise<void> {
  const count = await tx.$count(intent, isUnfinished(deploymentId));
  if (count === 0) return;
  throw new ConfigError(
    `${count} payments on the recorded contract are not finished: another one would lose them.`,
  );
}

/**
 * An order keeps its token: under another address its currency would mean two.
 * @param changed tokens that the record has otherwise, or not at all
 * @throws ConfigError when payments in one of them are not finished
 */
export async function requireUnusedTokens(
  tx: Transaction,
  { id, tokens }: Pick<Deployment, "id" | "tokens">,
  changed: readonly { currency: Currency }[],
): Promise<void> {
  const known = changed.map(({ currency }) => currency).filter((currency) => currency in tokens);
  if (known.length === 0) return;
  const count = await tx.$count(intent, and(isUnfinished(id), inArray(intent.currency, known)));
  if (count === 0) return;
  throw new ConfigError(
    `${count} payments in ${known.join(", ")} are not finished: add the token under another symbol, or wait for them.`,
  );
}

type Recorded = { verifiedHash: string; changes: readonly string[] };

/** Writes who changed what, and why, to the audit log. */
export async function noteChange(
  tx: Transaction,
  before: Deployment,
  { verifiedHash, changes }: Recorded,
  { by, reason }: Change,
): Promise<void> {
  await recordAudit(tx, [
    {
      ...byOperations(by),
      ...{ action: "deployment.change", resourceId: before.id },
      ...{ from: before.verifiedHash, to: verifiedHash, metadata: { reason, changes } },
    },
  ]);
}
