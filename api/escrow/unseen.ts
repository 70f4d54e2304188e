// Whether a relayed call for an order may still change it without the indexer having seen it.
import { and, eq, inArray, notExists, sql } from "drizzle-orm";
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
 * A refund of a part can be made twice, so one that was mined must be among the order's refunds: a reorg may have taken it back, and
 * the relayer sends it again. Everything else is refused by the contract the second time.
 * @param head the block up to which the reader's facts go
 * @param indexed the transaction that the indexer saw change the order last: the indexer may know it before the relayer
 * has read its receipt
 */
export async function hasUnseenCall(
  tx: Transaction,
  orderId: OrderId,
  purposes: TransactionPurpose[],
  head: { block: number },
  indexed?: Hex,
): Promise<boolean> {
  const isIndexed = tx
    .select({ hash: transactionAttempt.hash })
    .from(transactionAttempt)
    .where(
      and(eq(transactionAttempt.transactionId, transaction.id), eq(transactionAttempt.hash, indexed ?? "0x")),
    );
  const isTakenBack = sql<boolean>`${transaction.purpose} = 'refund' and not exists (select from ${chain.refund}
    where ${chain.refund.orderId} = ${orderId} and ${chain.refund.txHash} = ${transaction.minedHash})`;
  const calls = await tx
    .select({
      state: transaction.state,
      succeeded: transaction.succeeded,
      block: transaction.blockNumber,
      isTakenBack,
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
  return calls.some(
    ({ state, succeeded, block, isTakenBack }) =>
      state === "pending" ||
      (state !== "dropped" && succeeded === true && ((block ?? 0) > head.block || isTakenBack)),
  );
}
