// Distinguishes the chains before and after a reorg by the hash of a block.
import { BlockNotFoundError, type Hex } from "viem";
import { askChain, type ChainClient } from "./client.ts";

/**
 * Whether the node's chain has this block. The block determines all blocks before it.
 * @returns undefined if the node has no block with this number
 * @throws ServiceError 503 if the node cannot be reached
 */
export async function hasBlock(
  client: ChainClient,
  blockNumber: number,
  blockHash: Hex,
): Promise<boolean | undefined> {
  try {
    const { hash } = await askChain(() => client.getBlock({ blockNumber: BigInt(blockNumber) }));
    return hash === blockHash;
  } catch (error) {
    if (error instanceof BlockNotFoundError) return undefined;
    throw error;
  }
}
