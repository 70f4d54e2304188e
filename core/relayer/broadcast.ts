// Broadcasts stored transactions. This needs no key, because every attempt is stored in signed form.
import { and, asc, desc, eq, inArray, lte, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Hex } from "viem";
import type { ChainClient } from "../chain/client.ts";
import type { Database } from "../db/client.ts";
import { transaction, transactionAttempt } from "../db/schema/transactions.ts";

/**
 * Errors for a transaction that is already known, mined, reverted, or replaced by another of our attempts. The receipt
 * determines the outcome.
 */
const ALREADY_THERE =
  /already known|known transaction|already imported|nonce too low|replacement transaction underpriced|reverted/;

/**
 * `refused`: the node neither accepted the transaction nor already has it, or could not be reached. `error` contains
 * the reason.
 */
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

const mined = alias(transaction, "mined");

/** A key's nonce in a deployment. */
type NonceSlot = Pick<typeof transaction.$inferSelect, "deploymentId" | "signer" | "nonce">;

/**
 * Selects every attempt of the unmined transactions up to and including a nonce, because a node that does not queue
 * transactions rejects a nonce whose predecessor it has not seen. Nonces are mined in order, so that no transaction before
 * the last mined one is read: they comprise most of what the key has ever sent.
 * @returns the attempts in sending order
 */
export const attemptsUpTo = (database: Database, { deploymentId, signer, nonce }: NonceSlot) => {
  const isUpTo = (table: typeof transaction | typeof mined) =>
    and(eq(table.deploymentId, deploymentId), eq(table.signer, signer), lte(table.nonce, nonce));
  const lastMined = database
    .select({ nonce: mined.nonce })
    .from(mined)
    .where(and(isUpTo(mined), inArray(mined.state, ["mined", "final"])))
    .orderBy(desc(mined.nonce))
    .limit(1);
  return database
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
        isUpTo(transaction),
        sql`${transaction.nonce} > coalesce(${lastMined}, -1)`,
        eq(transaction.state, "pending"),
      ),
    )
    .orderBy(asc(transaction.nonce), asc(transactionAttempt.createdAt));
};
