// A chain with a long history: orders that were funded, proven and released, and settled, by the real contract on a
// real node. Its blocks are full, so that an indexer spends its time on events and not on requesting blocks.
import { type Address, encodeFunctionData, numberToHex, zeroAddress, zeroHash } from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import type { Terms } from "#core/chain/terms.ts";
import { localChainClient } from "#scripts/devnet/deploy.ts";
import { groupForSettlement } from "#settlement/escrow/settlement-groups.ts";
import type { Stack } from "#test/support/stack.ts";

/** Created, proven, released, settled. */
export const EVENTS_OF_AN_ORDER = 4;

const ORDERS_OF_A_BLOCK = 100;
const GAS = { createOrder: 400_000, submitDeliveryProof: 250_000, settle: 12_000_000 };
/** Ponder considers blocks below these final, and thus part of the backfill. */
const BLOCKS_ON_TOP = 100;

type Call = { from: Address; functionName: keyof typeof GAS; args: readonly unknown[] };

/** @returns the chain's current number of events */
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

  /** One block with these calls. */
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
  // One by one: if many are sent at once, the node creates blocks that it cannot return.
  for (let block = 0; block < BLOCKS_ON_TOP; block++) await control.mine({ blocks: 1 });
  await control.setAutomine(true);
  return orders * EVENTS_OF_AN_ORDER;
}
