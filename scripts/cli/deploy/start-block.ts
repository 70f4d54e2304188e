// Finds a contract's deployment block on chain, even if an interrupted run or someone else deployed it.
import { type Address, BaseError } from "viem";
import { isUnreachable } from "#core/chain/client.ts";
import { UserError } from "../../shared/errors.ts";
import type { Node } from "./node.ts";

/**
 * Searches backwards from the head in growing steps and then bisects the last step, because most nodes keep only recent
 * state.
 * @throws UserError if the node does not have state that old
 */
export async function findStartBlock({ reader, describeError }: Node, address: Address): Promise<number> {
  const hasCode = async (blockNumber: bigint) => {
    try {
      return (await reader.getCode({ address, blockNumber })) !== undefined;
    } catch (error) {
      if (isUnreachable(error) || !(error instanceof BaseError)) throw error;
      throw new UserError(
        `The node does not have the state of block ${blockNumber}, so it cannot be determined when ${address} was deployed ` +
          `(${describeError(error)}). Specify it with --start-block NUMBER. A lower number than the actual one is fine.`,
      );
    }
  };
  let known = await reader.getBlockNumber();
  let step = 1n;
  let before = known - step;
  while (before >= 0n && (await hasCode(before))) {
    known = before;
    step *= 2n;
    before = known - step;
  }
  if (before < 0n) before = -1n;
  while (known - before > 1n) {
    const middle = (known + before) / 2n;
    if (await hasCode(middle)) known = middle;
    else before = middle;
  }
  return Number(known);
}

/**
 * Rejects a future block: the indexer would wait for it and miss earlier events.
 * @throws UserError if the chain does not have the block yet
 */
export async function requirePastBlock({ reader }: Node, block: bigint): Promise<void> {
  const head = await reader.getBlockNumber();
  if (block <= head) return;
  throw new UserError(`--start-block is ${block}, but the chain's latest block is ${head}.`);
}
