// What the indexer watches. Run by indexer/main.ts; Ponder wants this file's shape.
import { createConfig } from "ponder";
import { deliveryVsPaymentAbi } from "./core/chain/abi/delivery-vs-payment.ts";
import { configured } from "./core/runtime/role.ts";

const { chain, databaseUrl } = configured();

/** Ponder asks each endpoint 20 times a second at first, and polling takes half of that: too little to keep up. */
const ENDPOINTS_OF_A_LOCAL_NODE = 8;

export default createConfig({
  database: {
    kind: "postgres",
    connectionString: process.env.INDEXER_DATABASE_URL ?? databaseUrl,
    poolConfig: { max: 12 },
  },
  chains: {
    chain: {
      id: chain.id,
      // A local node needs no such care: named several times, it is asked several times as often.
      rpc: chain.simulated ? Array<string>(ENDPOINTS_OF_A_LOCAL_NODE).fill(chain.rpcUrl) : chain.rpcUrl,
      ...(chain.wsUrl === undefined ? {} : { ws: chain.wsUrl }),
      // A local node is asked often instead of subscribed to: Hardhat drops a subscription after five minutes, silently.
      pollingInterval: chain.simulated ? 200 : Math.min(1_000, chain.blockTime * 500),
      // The cache knows a chain by its number alone; a local chain's number outlives the chain.
      disableCache: chain.simulated,
    },
  },
  contracts: {
    DeliveryVsPayment: {
      chain: "chain",
      abi: deliveryVsPaymentAbi,
      address: chain.contract,
      startBlock: chain.startBlock,
    },
  },
});
