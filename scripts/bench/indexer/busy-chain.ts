// Creates a chain with a long history: orders that the real contract funded, released on proof of delivery, and settled
// on a real node. The blocks are full, so that an indexer spends its time on events rather than on requesting blocks.
import { type Address, encodeFunctionData, numberToHex, zeroAddress, zeroHash } from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import type { Terms } from "#core/chain/terms.ts";
import { localChainClient } from "#scripts/devnet/deploy.ts";
import { groupForSettlement } from "#settlement/escrow/settlement-groups.ts";
import type { Stack } from "#test/support/stack.ts";

/** OrderCreated, DeliveryProofSubmitted, FundsReleased and OrderSettled. */
export const EVENTS_OF_AN_ORDER = 4;

const ORDERS_OF_A_BLOCK = 100;
const GAS = { createOrder: 400_000, submitDeliveryProof: 250_000, settle: 12_000_000 };
/**
 * Number of blocks after the last event. Ponder considers the blocks below them final, and thus part of the backfill.
 */
const BLOCKS_ON_TOP = 100;

type Call = { from: Address; functionName: keyof typeof GAS; args: readonly unknown[] };

/** @returns the number of events on the chain */
export async function fillChain({ rpcUrl, contractAddress, tokens }: Stack, events: number): Promise<number> {
  const control = localChainClient(rpcUrl);
  const [, payer, operator, payee, offRamp, arbiter] = await control.getAddresses();
  if (!payer || !operator || !payee || !offRamp || !arbiter)
    throw new Error("The node has too few accounts.");
  await control.setAutomine(false);
  await control.setIntervalMining({ interval: 0 });

  const { timestamp } = await control.getBlock();
  const buildTerms = (n: number): Terms => ({
    ...{ operator, arbiter, payee, offRamp, token: tokens.USDC },
    ...{ payer: zeroAddress, deliveryOracle: zeroAddress },
    salt: numberToHex(n, { size: 32 }),
    amount: 1_000_000n,
    fundingDeadline: Number(timestamp) + 604_800,
    deliveryPeriod: 2_592_000,
    disputeWindow: 604_800,
    timeLockUntil: 0,
    releaseType: 0,
    autoReleaseOnProof: true,
    expectedDeliveryHash: zeroHash,
  });

  /** Mines one block with these calls. */
  async function mine(calls: Call[]): Promise<void> {
    const requests = calls.map(({ from, functionName, args }, id) => ({
      ...{ jsonrpc: "2.0", id, method: "eth_sendTransaction" },
      params: [
        {
          ...{ from, to: contractAddress, gas: numberToHex(GAS[functionName]) },
          data: encodeFunctionData({ abi: deliveryVsPaymentAbi, functionName, args } as Parameters<
            typeof encodeFunctionData
          >[0]),
        },
      ],
    }));
    const response = await fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(requests),
    });
    const answers = (await response.json()) as { error?: { message: string } }[];
    const refused = answers.find(({ error }) => error);
    if (refused) throw new Error(`The node rejected a call: ${refused.error?.message}`);
    await control.mine({ blocks: 1 });
  }

  const orders = Math.ceil(events / EVENTS_OF_AN_ORDER);
  for (let first = 0; first < orders; first += ORDERS_OF_A_BLOCK) {
    const some = Array.from({ length: Math.min(ORDERS_OF_A_BLOCK, orders - first) }, (_, i) =>
      buildTerms(first + i),
    );
    await mine(some.map((terms) => ({ from: payer, functionName: "createOrder", args: [terms] })));
    await mine(
      some.map((terms) => ({
        ...{ from: operator, functionName: "submitDeliveryProof" },
        args: [terms, zeroHash, "ipfs://proof"],
      })),
    );
    await mine([{ from: operator, functionName: "settle", args: [groupForSettlement(some)] }]);
  }
  // Mines one block per request: if one request mines many, the node creates blocks that it cannot return.
  for (let block = 0; block < BLOCKS_ON_TOP; block++) await control.mine({ blocks: 1 });
  await control.setAutomine(true);
  return orders * EVENTS_OF_AN_ORDER;
}
