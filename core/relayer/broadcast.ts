// Broadcasts stored transactions. This needs no key, because every attempt is stored in signed form.
import { and, asc, eq, lte } from "drizzle-orm";
import type { Hex } from "viem";
import type { ChainClient } from "../chain/client.ts";
import type { Database } from "../db/client.ts";
import { transaction, transactionAttempt } from "../db/schema/transactions.ts";

/** Known, already mined, mined and reverted, or replaced by another of our attempts: the receipt decides. */
const ALREADY_THERE =
  /already known|known transaction|already imported|nonce too low|replacement transaction underpriced|reverted/;

/** `refused`: the chain neither accepted nor has it, or could not be reached; `error` says which. */
export type BroadcastResult = { outcome: "taken" | "there already" | "refused"; error?: unknown };

/** Broadcasts one raw transaction. */
export async function broadcast(client: ChainClient, raw: Hex): Promise<BroadcastResult> {
  try {
    await client.sendRawTransaction({ serializedTransaction: raw });
    return { outcome: "taken" };
  } catch (error) {
    const text = error instanceof Error ? error.message.toLowerCase() : "";
    return { outcome: ALREADY_THERE.test(text) ? "there already" : "refused", error };
  }
}

/** A key's nonce in a deployment. */
type NonceSlot = Pick<typeof transaction.$inferSelect, "deploymentId" | "signer" | "nonce">;

/**
 * Every attempt of the unmined transactions, up to and including a nonce: a node that does not queue rejects a nonce
 * whose predecessor it has not seen.
 * @returns in sending order
 */
export const attemptsUpTo = (database: Database, { deploymentId, signer, nonce }: NonceSlot) =>
  database
    .select({
      transaction: transaction.id,
      nonce: transaction.nonce,
      hash: transactionAttempt.hash,
      raw: transactionAttempt.raw,
    })
    .from(transaction)
    .innerJoin(transactionAttempt, eq(transactionAttempt.transactionId, transaction.id))
    .where(
      and(
        eq(transaction.deploymentId, deploymentId),
        eq(transaction.signer, signer),
        eq(transaction.state, "pending"),
        lte(transaction.nonce, nonce),
      ),
    )
    .orderBy(asc(transaction.nonce), asc(transactionAttempt.createdAt));
