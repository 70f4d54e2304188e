// Derives the outcome of one of our transactions from its receipt.
import { type Hex, type TransactionReceipt, TransactionReceiptNotFoundError } from "viem";
import { askChain, type ChainClient } from "#core/chain/client.ts";
import { hasBlock } from "#core/chain/has-block.ts";
import type { transaction } from "#core/db/schema/transactions.ts";

export type Outcome = Pick<
  typeof transaction.$inferSelect,
  "state" | "succeeded" | "blockNumber" | "blockHash" | "minedHash" | "networkFee"
>;

export const PENDING: Outcome = {
  state: "pending",
  succeeded: null,
  blockNumber: null,
  blockHash: null,
  minedHash: null,
  networkFee: null,
};

/** @returns undefined if no block contains the transaction */
export async function loadReceipt(client: ChainClient, hash: Hex): Promise<TransactionReceipt | undefined> {
  try {
    return await askChain(() => client.getTransactionReceipt({ hash }));
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined;
    throw error;
  }
}

/**
 * Whether the chain still has the block in which a transaction was seen. If it does, it also has the transaction, even
 * if a node does not return the receipt. A node that lags behind the tip has neither, and proves nothing about the
 * chain.
 * @param tip the chain's highest block
 */
export async function isBlockThere(
  client: ChainClient,
  { blockNumber, blockHash }: Pick<Outcome, "blockNumber" | "blockHash">,
  tip: bigint,
): Promise<boolean> {
  if (blockNumber === null || blockHash === null) return false;
  return (await hasBlock(client, blockNumber, blockHash)) ?? tip >= BigInt(blockNumber);
}

/**
 * Returns the cost of a transaction to its sender, in wei. An OP-stack rollup charges for data on its parent chain on
 * top of gas, as `l1Fee` (https://docs.optimism.io/stack/transactions/fees).
 */
function readNetworkFee(receipt: TransactionReceipt & { l1Fee?: unknown }): bigint {
  const { gasUsed, effectiveGasPrice, l1Fee } = receipt;
  return gasUsed * effectiveGasPrice + (typeof l1Fee === "string" ? BigInt(l1Fee) : 0n);
}

/** @param state "final" if the receipt's block is beyond any reorg that we handle */
export const readOutcome = (receipt: TransactionReceipt, state: "mined" | "final"): Outcome => ({
  state,
  succeeded: receipt.status === "success",
  blockNumber: Number(receipt.blockNumber),
  blockHash: receipt.blockHash,
  minedHash: receipt.transactionHash,
  networkFee: readNetworkFee(receipt),
});
