// What a transaction offers to pay (EIP-1559), in wei per gas.
import type { ChainClient } from "../chain/client.ts";

export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };

/** Nodes take a replacement only if it offers clearly more: 10 % is the usual least, 25 % is safe. */
const REPLACEMENT_PERCENT = 125n;

export async function suggestFees(client: ChainClient): Promise<Fees> {
  const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas();
  return { maxFeePerGas, maxPriorityFeePerGas };
}

const larger = (a: bigint, b: bigint) => (a > b ? a : b);

/** Fees that replace `previous`, and that suit today's prices. */
export const bumpFees = (previous: Fees, suggested: Fees): Fees => ({
  maxFeePerGas: larger((previous.maxFeePerGas * REPLACEMENT_PERCENT) / 100n + 1n, suggested.maxFeePerGas),
  maxPriorityFeePerGas: larger(
    (previous.maxPriorityFeePerGas * REPLACEMENT_PERCENT) / 100n + 1n,
    suggested.maxPriorityFeePerGas,
  ),
});
