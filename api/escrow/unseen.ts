// Determines whether a relayed call may change an order without being indexed yet.
import { and, eq, exists, gt, inArray, ne, notExists, or, sql } from "drizzle-orm";
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
  const isReorged = sql`${transaction.purpose} = 'refund' and not exists (select from ${refund}
    where ${eq(refund.orderId, orderId)} and ${refund.txHash} = ${transaction.minedHash})`;
  const isUnseen = and(
    ne(transaction.state, "dropped"),
    transaction.succeeded,
    or(gt(transaction.blockNumber, head.block), isReorged),
  );
  const calls = tx
    .select({ id: transaction.id })
    .from(transactionOrder)
    .innerJoin(transaction, eq(transaction.id, transactionOrder.transactionId))
    .where(
      and(
        eq(transactionOrder.orderId, orderId),
        inArray(transactionOrder.purpose, purposes),
        notExists(isIndexed),
        or(eq(transaction.state, "pending"), isUnseen),
      ),
    );
  // One statement reads the order and the calls from one snapshot. Otherwise, a call that is indexed and reorged in
  // between would count neither as an unseen call nor as a change of the order.
  const [order] = await tx
    .select({ operationTxHash: chain.order.operationTxHash, isCalled: sql<boolean>`${exists(calls)}` })
    .from(chain.order)
    .where(eq(chain.order.id, orderId));
  // If the indexer has changed the order since the caller read it, the caller's decision is outdated.
  return !order || order.isCalled || (indexed !== undefined && order.operationTxHash !== indexed);
}
