// Whether a call that the relayer made for an order may still change it without the indexer having seen it.
import { and, eq, inArray } from "drizzle-orm";
import type { Transaction } from "../db/client.ts";
import { type TransactionPurpose, transaction, transactionOrder } from "../db/schema.ts";
import type { OrderId } from "../ids.ts";

/** @param head the block up to which the reader's facts go */
export async function hasUnseenCall(
  tx: Transaction,
  orderId: OrderId,
  purposes: TransactionPurpose[],
  head: { block: number },
): Promise<boolean> {
  const calls = await tx
    .select({ state: transaction.state, succeeded: transaction.succeeded, block: transaction.blockNumber })
    .from(transactionOrder)
    .innerJoin(transaction, eq(transaction.id, transactionOrder.transactionId))
    .where(and(eq(transactionOrder.orderId, orderId), inArray(transactionOrder.purpose, purposes)));
  return calls.some(
    ({ state, succeeded, block }) =>
      state === "pending" || (state !== "dropped" && succeeded === true && (block ?? 0) > head.block),
  );
}
