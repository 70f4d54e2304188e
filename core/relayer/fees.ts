// The fees of a transaction (EIP-1559), in wei per gas.
import type { ChainClient } from "../chain/client.ts";
import { larger, smaller } from "../money.ts";

export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };

/** Nodes accept a replacement only if it offers significantly more: 10 % is the usual minimum, 25 % is safe. */
const REPLACEMENT_PERCENT = 125n;
const LEAST_PERCENT = 110n;

export async function suggestFees(client: ChainClient): Promise<Fees> {
  const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas();
  return { maxFeePerGas, maxPriorityFeePerGas };
}

/**
 * Limits the fees to the ceiling, if there is one. A transaction that requires more waits until the chain is cheaper.
 */
export const capFees = ({ maxFeePerGas, maxPriorityFeePerGas }: Fees, ceiling: bigint | undefined): Fees => {
  const most = ceiling === undefined ? maxFeePerGas : smaller(maxFeePerGas, ceiling);
  return { maxFeePerGas: most, maxPriorityFeePerGas: smaller(maxPriorityFeePerGas, most) };
};

/** Whether nodes accept `next` as a replacement of `previous`. */
export const replaces = (next: Fees, previous: Fees): boolean =>
  next.maxFeePerGas * 100n >= previous.maxFeePerGas * LEAST_PERCENT &&
  next.maxPriorityFeePerGas * 100n >= previous.maxPriorityFeePerGas * LEAST_PERCENT;

/** Offering this many times the current price rules out the fee as the reason why a transaction is not mined. */
const PLENTY = 5n;

/** Whether a higher fee may help. Without this limit, a halted chain would be offered all our funds. */
export const isWorthRaising = (previous: Fees, suggested: Fees): boolean =>
  previous.maxFeePerGas < suggested.maxFeePerGas * PLENTY;

/** Fees that replace `previous` and match the current market. */
export const bumpFees = (previous: Fees, suggested: Fees): Fees => ({
  maxFeePerGas: larger((previous.maxFeePerGas * REPLACEMENT_PERCENT) / 100n + 1n, suggested.maxFeePerGas),
  maxPriorityFeePerGas: larger(
    (previous.maxPriorityFeePerGas * REPLACEMENT_PERCENT) / 100n + 1n,
    suggested.maxPriorityFeePerGas,
  ),
});
