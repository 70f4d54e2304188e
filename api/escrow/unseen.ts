// Determines whether a relayed call may change an order without being indexed yet.
import { and, eq, inArray, notExists, or, sql } from "drizzle-orm";
import type { Hex } from "viem";
import * as chain from "#core/db/chain.ts";
import type { Transaction } from "#core/db/client.ts";
import {
  type TransactionPurpose,
  transaction,
  transactionAttempt,
  transactionOrder,
} from "#core/db/schema/transactions.ts";
import type { OrderId } from "#core/ids.ts";

/**
 * A partial refund could be executed twice, so a mined refund must be found among the order's indexed refunds,
 * under any attempt of its transaction. Otherwise, a reorg may have removed it, and the relayer will send it
 * again. The contract rejects every other call if it is repeated.
 * @param head the block up to which the reader's data is indexed
 * @param indexed the transaction of the order's latest indexed operation (`operationTxHash`), which the indexer may know
 * before the relayer has read its receipt
 */
export async function hasUnseenCall(
  tx: Transaction,
  orderId: OrderId,
  purposes: TransactionPurpose[],
  head: { block: number },
  indexed?: Hex,
): Promise<boolean> {
  // After a later operation, the order does not show which call changed it before. Refunds and milestone releases
  // record their transactions.
  const { refund, milestoneRelease } = chain;
  const named = [
    tx.select({ hash: refund.txHash }).from(refund).where(eq(refund.orderId, orderId)),
    tx
      .select({ hash: milestoneRelease.txHash })
      .from(milestoneRelease)
      .where(eq(milestoneRelease.orderId, orderId)),
  ];
  const isIndexed = tx
    .select({ hash: transactionAttempt.hash })
    .from(transactionAttempt)
    .where(
      and(
        eq(transactionAttempt.transactionId, transaction.id),
        or(
          eq(transactionAttempt.hash, indexed ?? "0x"),
          ...named.map((hashes) => inArray(transactionAttempt.hash, hashes)),
        ),
      ),
    );
  // Refunds that are indexed under another attempt are excluded below.
  const isReorged = sql<boolean>`${transaction.purpose} = 'refund' and not exists (select from ${refund}
    where ${eq(refund.orderId, orderId)} and ${refund.txHash} = ${transaction.minedHash})`;
  const calls = await tx
    .select({
      state: transaction.state,
      succeeded: transaction.succeeded,
      block: transaction.blockNumber,
      isReorged,
    })
    .from(transactionOrder)
    .innerJoin(transaction, eq(transaction.id, transactionOrder.transactionId))
    .where(
      and(
        eq(transactionOrder.orderId, orderId),
        inArray(transactionOrder.purpose, purposes),
        notExists(isIndexed),
      ),
    );
  // The order is read last, because an operation that is indexed before this read no longer counts as a call above.
  // If the indexer has changed the order since the caller read it, the caller's decision is outdated.
  const [order] = await tx.select().from(chain.order).where(eq(chain.order.id, orderId));
  if (indexed !== undefined && order?.operationTxHash !== indexed) return true;
  return calls.some(
    ({ state, succeeded, block, isReorged }) =>
      state === "pending" ||
      (state !== "dropped" && succeeded === true && ((block ?? 0) > head.block || isReorged)),
  );
}
