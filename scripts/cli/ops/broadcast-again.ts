// Rebroadcasts a stuck transaction exactly as it was signed. No key is needed, and at most one attempt can be mined,
// because all attempts share one nonce.
import { eq } from "drizzle-orm";
import { BaseError } from "viem";
import { connectChain, isUnreachable, loadGenesisHash } from "#core/chain/client.ts";
import type { Database } from "#core/db/client.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { intent } from "#core/db/schema/intents.ts";
import { transaction, transactionOrder } from "#core/db/schema/transactions.ts";
import { attemptsUpTo, type BroadcastResult, broadcast } from "#core/relayer/broadcast.ts";
import { UsageError, UserError } from "../../shared/errors.ts";
import { note } from "./changes.ts";
import type { Row } from "./lists.ts";

const UNREACHABLE = "The chain in RPC_URL cannot be reached.";

/** The node's error, without its URL, which may contain a key. */
function describeOutcome({ outcome, error }: BroadcastResult): string {
  if (isUnreachable(error)) throw new UserError(UNREACHABLE);
  const details = error instanceof BaseError ? error.details : "";
  return details ? `${outcome}: ${details}` : outcome;
}

async function noteRebroadcast(database: Database, id: string, by: string): Promise<void> {
  await database.transaction(async (tx) => {
    const about = await tx
      .select({ intentId: intent.id })
      .from(transactionOrder)
      .innerJoin(intent, eq(intent.id, transactionOrder.orderId))
      .where(eq(transactionOrder.transactionId, id));
    const action = "transaction.rebroadcast";
    for (const { intentId } of about) await note(tx, { action, intentId, resourceId: id, by });
  });
}

/**
 * Broadcasts every attempt of a pending transaction and of the pending transactions before it.
 * @returns a row for each attempt, with the node's response
 * @throws UserError if there is nothing to do, or the node is unavailable or on another chain
 */
export async function broadcastAgain(
  database: Database,
  rpcUrl: string,
  id: string,
  by: string,
): Promise<Row[]> {
  const [found] = await database
    .select({ transaction, deployment })
    .from(transaction)
    .innerJoin(deployment, eq(deployment.id, transaction.deploymentId))
    .where(eq(transaction.id, id));
  if (!found) throw new UsageError(`No such transaction: '${id}'.`);
  const { state } = found.transaction;
  if (state !== "pending") throw new UserError(`${id} is ${state}: nothing to broadcast.`);
  const client = connectChain({ chain: { id: found.deployment.chainId, rpcUrl } });
  const genesis = await loadGenesisHash(client).catch((cause: unknown) => {
    throw isUnreachable(cause) ? new UserError(UNREACHABLE) : cause;
  });
  if (genesis !== found.deployment.genesisHash) {
    throw new UserError("The chain in RPC_URL is not the one that the transaction was signed for.");
  }
  await noteRebroadcast(database, id, by);
  const rows: Row[] = [];
  for (const { raw, ...attempt } of await attemptsUpTo(database, found.transaction)) {
    rows.push({ ...attempt, answer: describeOutcome(await broadcast(client, raw)) });
  }
  return rows;
}
