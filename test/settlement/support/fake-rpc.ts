// Responses of a fake chain that suffice for the relayer to prepare, sign and broadcast a call.
import {
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  numberToHex,
  TimeoutError,
  zeroAddress,
} from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { blockHash } from "./chain-tables.ts";
import type { Answers } from "./world.ts";

/** The base fee of every block, in wei. */
export const BASE_FEE = 1_000_000_000n;

/** A response that does not arrive in time. */
export const noAnswer = (): never => {
  throw new TimeoutError({ body: {}, url: "" });
};

/** The responses of a node that does not respond to anything that a call requires. */
export const SILENT: Answers = {
  eth_estimateGas: noAnswer,
  eth_getBlockByNumber: noAnswer,
  eth_maxPriorityFeePerGas: noAnswer,
  eth_getTransactionCount: noAnswer,
};

/**
 * @param refuses whether the simulation of a call with this data fails
 * @param hangs whether the node does not answer the simulation of a call with this data
 */
export function relayingChain(
  refuses: (data: Hex) => boolean = () => false,
  hangs: (data: Hex) => boolean = () => false,
): Answers & { sent: Hex[] } {
  const sent: Hex[] = [];
  const answers: Answers = {
    eth_estimateGas: ([call]) => {
      const { data } = call as { data: Hex };
      if (hangs(data)) noAnswer();
      if (refuses(data)) throw new Error("execution reverted");
      return numberToHex(100_000);
    },
    eth_getBlockByNumber: () => ({ ...emptyBlock, baseFeePerGas: numberToHex(BASE_FEE) }),
    eth_maxPriorityFeePerGas: () => numberToHex(1_000_000_000),
    eth_getTransactionCount: () => numberToHex(0),
    eth_sendRawTransaction: ([raw]) => {
      sent.push(raw as Hex);
      return blockHash(0);
    },
  };
  return Object.assign(answers, { sent });
}

export const emptyBlock = {
  number: numberToHex(1),
  hash: blockHash(1),
  parentHash: blockHash(0),
  timestamp: numberToHex(1),
  transactions: [],
};

/** Returns the block of a number, as the node would. @param fork see blockHash */
export const blockAt = (block: number, fork = 0) => ({
  ...emptyBlock,
  number: numberToHex(block),
  hash: blockHash(block, fork),
});

export type Settled = {
  orderId: Hex;
  offRamp: Address;
  amount: bigint;
  contract: Address;
  txHash: Hex;
  block: number;
  /** Default: the hash of the block without a fork. */
  blockHash?: Hex;
};

/** Returns the receipt of a transaction that settled one order. */
export function settlementReceipt({ orderId, offRamp, amount, contract, txHash, block, ...more }: Settled) {
  const { blockHash: hash = blockHash(block) } = more;
  const at = { blockHash: hash, blockNumber: numberToHex(block), transactionHash: txHash };
  return {
    ...at,
    status: "0x1",
    type: "0x2",
    from: zeroAddress,
    to: contract,
    contractAddress: null,
    cumulativeGasUsed: "0x1",
    effectiveGasPrice: "0x1",
    gasUsed: "0x1",
    logsBloom: "0x",
    transactionIndex: "0x0",
    logs: [
      {
        ...at,
        address: contract,
        topics: encodeEventTopics({
          abi: deliveryVsPaymentAbi,
          eventName: "OrderSettled",
          args: { orderId, offRamp },
        }),
        data: encodeAbiParameters([{ type: "uint256" }], [amount]),
        logIndex: "0x0",
        transactionIndex: "0x0",
        removed: false,
      },
    ],
  };
}
