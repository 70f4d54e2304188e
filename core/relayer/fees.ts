// What a transaction offers to pay (EIP-1559), in wei per gas.
import type { ChainClient } from "../chain/client.ts";

export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };

/** Nodes take a replacement only if it offers clearly more: 10 % is the usual least, 25 % is safe. */
const REPLACEMENT_PERCENT = 125n;
const LEAST_PERCENT = 110n;

export async function suggestFees(client: ChainClient): Promise<Fees> {
  const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas();
  return { maxFeePerGas, maxPriorityFeePerGas };
}

const smaller = (a: bigint, b: bigint) => (a < b ? a : b);

/** Never offers more than the ceiling, if there is one: what costs more waits until the chain is cheaper. */
export const capFees = ({ maxFeePerGas, maxPriorityFeePerGas }: Fees, ceiling: bigint | undefined): Fees => {
  const most = ceiling === undefined ? maxFeePerGas : smaller(maxFeePerGas, ceiling);
  return { maxFeePerGas: most, maxPriorityFeePerGas: smaller(maxPriorityFeePerGas, most) };
};

/** Whether nodes take `next` in the place of `previous`. */
export const replaces = (next: Fees, previous: Fees): boolean =>
  next.maxFeePerGas * 100n >= previous.maxFeePerGas * LEAST_PERCENT &&
  next.maxPriorityFeePerGas * 100n >= previous.maxPriorityFeePerGas * LEAST_PERCENT;

/** An offer that is this many times today's price is not what keeps a transaction from being mined. */
const PLENTY = 5n;

/** Whether more money may help. Without an end, a chain that stands still would be offered everything we have. */
export const isWorthRaising = (previous: Fees, suggested: Fees): boolean =>
  previous.maxFeePerGas < suggested.maxFeePerGas * PLENTY;

const larger = (a: bigint, b: bigint) => (a > b ? a : b);

/** Fees that replace `previous`, and that suit today's prices. */
export const bumpFees = (previous: Fees, suggested: Fees): Fees => ({
  maxFeePerGas: larger((previous.maxFeePerGas * REPLACEMENT_PERCENT) / 100n + 1n, suggested.maxFeePerGas),
  maxPriorityFeePerGas: larger(
    (previous.maxPriorityFeePerGas * REPLACEMENT_PERCENT) / 100n + 1n,
    suggested.maxPriorityFeePerGas,
  ),
});
