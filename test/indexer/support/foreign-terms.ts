// Terms of orders that the gateway has not created, so that it does not act on them.
import { toHex, zeroAddress, zeroHash } from "viem";
import type { Terms } from "#core/chain/terms.ts";
import { createChainClient } from "#test/api/support/payments.ts";
import type { SharedStack } from "#test/support/shared-stack.ts";

const DAY = 86_400;

type Parties = Pick<Terms, "operator" | "payee" | "offRamp"> & Partial<Terms>;

/** Returns terms for one USDC that the contract accepts. */
export async function makeForeignTerms(stack: SharedStack, parties: Parties): Promise<Terms> {
  const { timestamp } = await createChainClient(stack.rpcUrl).getBlock();
  return {
    salt: toHex(crypto.getRandomValues(new Uint8Array(32))),
    arbiter: "0x00000000000000000000000000000000000a7b17",
    deliveryOracle: zeroAddress,
    payer: zeroAddress,
    token: stack.tokens.USDC,
    amount: 1_000_000n,
    fundingDeadline: Number(timestamp) + 3_600,
    deliveryPeriod: DAY,
    disputeWindow: DAY,
    timeLockUntil: 0,
    releaseType: 0,
    autoReleaseOnProof: false,
    expectedDeliveryHash: zeroHash,
    ...parties,
  };
}
