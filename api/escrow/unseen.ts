// Whether a relayed call for an order may still change it without the indexer having seen it.
import { and, eq, inArray, notExists } from "drizzle-orm";
import type { Hex } from "viem";
import type { Transaction } from "#core/db/client.ts";
import {
  type TransactionPurpose,
  transaction,
  transactionAttempt,
  transactionOrder,
} from "#core/db/schema/transactions.ts";
import type { OrderId } from "#core/ids.ts";

/**
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
  const calls = await tx
    .select({ state: transaction.state, succeeded: transaction.succeeded, block: transaction.blockNumber })
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
    ({ state, succeeded, block }) =>
      state === "pending" || (state !== "dropped" && succeeded === true && (block ?? 0) > head.block),
  );
}
