// Follows pending transactions: the relayer's, and those that payers reported.
import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { type Hex, TransactionNotFoundError, TransactionReceiptNotFoundError } from "viem";
import { askChain, type ChainClient } from "#core/chain/client.ts";
import * as chain from "#core/db/chain.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { intent } from "#core/db/schema/intents.ts";
import { reportedTransaction, transaction } from "#core/db/schema/transactions.ts";
import { createArbiter } from "#core/relayer/arbiter.ts";
import type { Context } from "../runtime/context.ts";
import { isPassing } from "../runtime/problems.ts";
import { createResolver, isUnresolved, readUnresolved } from "./resolve-transactions.ts";

/**
 * A reported transaction that is in no block after this time is no longer followed, because it no longer says anything
 * about its payment.
 */
const FOLLOWED = sql.raw("interval '1 day'");

/** A hash that is unknown to every node after this time was never sent, or was dropped. */
const FORGET_HINT_MS = 10 * 60_000;

type Fate = "unknown" | "waiting" | "failed" | "succeeded";

async function loadFate(client: ChainClient, hash: Hex): Promise<Fate> {
  try {
    const receipt = await askChain(() => client.getTransactionReceipt({ hash }));
    return receipt.status === "success" ? "succeeded" : "failed";
  } catch (error) {
    if (!(error instanceof TransactionReceiptNotFoundError)) throw error;
  }
  try {
    await askChain(() => client.getTransaction({ hash }));
    return "waiting";
  } catch (error) {
    if (error instanceof TransactionNotFoundError) return "unknown";
    throw error;
  }
}

/** Whether any transaction of the query's deployment is not final yet. */
export const areTransactionsUnresolved: SQL = sql`exists (select from ${transaction}
  where ${transaction.deploymentId} = ${deployment.id} and ${isUnresolved})`;

/**
 * Follows the transactions of the operator, the guardian and, on a local chain, the arbiter. If one of them fails, the
 * others are followed nevertheless.
 */
export function createTransactionFollower(context: Context): () => Promise<void> {
  const { relayer, guardian, database, client, config } = context;
  const arbiter = createArbiter(database, client, context.deployment, config);
  const followers = [relayer, arbiter, guardian?.relayer]
    .filter((sender) => sender !== undefined)
    .map((sender) => createResolver(sender, config.chain));
  return async () => {
    const unresolved = await readUnresolved(database, context.deployment.id);
    const failures: unknown[] = [];
    for (const follow of followers) await follow(unresolved).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures.find((error) => !isPassing(error)) ?? failures[0];
  };
}

/**
 * Follows reported transactions of intents without an order: such an intent is PROCESSING and must not stay in that
 * status forever.
 */
export function createReportFollower({
  database,
  reads,
  client,
  deployment: current,
}: Context): () => Promise<void> {
  const open = reads
    .select({
      intentId: reportedTransaction.intentId,
      hash: reportedTransaction.hash,
      createdAt: reportedTransaction.createdAt,
    })
    .from(reportedTransaction)
    .innerJoin(intent, eq(intent.id, reportedTransaction.intentId))
    .leftJoin(chain.order, eq(chain.order.id, intent.id))
    .where(
      and(
        eq(intent.deploymentId, current.id),
        eq(reportedTransaction.failed, false),
        sql`${reportedTransaction.createdAt} > statement_timestamp() - ${FOLLOWED}`,
        isNull(chain.order.id),
      ),
    )
    .prepare("open_hints");

  return async () => {
    for (const { intentId, hash, createdAt } of await open.execute()) {
      const fate = await loadFate(client, hash);
      // The payer may have reported another hash in the meantime, so only a row that still has this hash is changed.
      const same = and(eq(reportedTransaction.intentId, intentId), eq(reportedTransaction.hash, hash));
      if (fate === "failed") await database.update(reportedTransaction).set({ failed: true }).where(same);
      if (fate === "unknown" && Date.now() - createdAt.getTime() > FORGET_HINT_MS) {
        await database.delete(reportedTransaction).where(same);
      }
    }
  };
}
