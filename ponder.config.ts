// What the indexer watches. Run by indexer/main.ts; Ponder wants this file's shape.
import { createConfig } from "ponder";
import { deliveryVsPaymentAbi } from "./core/chain/abi/delivery-vs-payment.ts";
import { readConfig } from "./core/config.ts";

const { chain, databaseUrl } = readConfig();

export default createConfig({
  database: { kind: "postgres", connectionString: databaseUrl, poolConfig: { max: 12 } },
  chains: {
    chain: {
      id: chain.id,
      rpc: chain.rpcUrl,
      ...(chain.wsUrl === undefined ? {} : { ws: chain.wsUrl }),
      // A local node is asked often instead of subscribed to: Hardhat drops a subscription after five minutes, silently.
      pollingInterval: chain.simulated ? 100 : Math.min(1_000, chain.blockTime * 500),
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
