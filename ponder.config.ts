// The chain and the contract that the indexer reads. Ponder, started by indexer/main.ts, loads the default export.
import { createConfig } from "ponder";
import { deliveryVsPaymentAbi } from "./core/chain/abi/delivery-vs-payment.ts";
import { DEEPEST_REORG } from "./core/indexer-state/high-water-mark.ts";
import { configured } from "./core/runtime/startup.ts";
import { createRpcTransport } from "./indexer/rpc-transport.ts";

const { chain, databaseUrl } = configured();

/** A local node needs no care. Ponder begins with 20, of which polling takes half: too little to keep up. */
const REQUESTS_PER_SECOND_LOCALLY = 500;

/** How long the indexer keeps a database session. */
const SESSION_S = 3_600;

export default createConfig({
  database: {
    kind: "postgres",
    connectionString: process.env.INDEXER_DATABASE_URL ?? databaseUrl,
    // No vacuum freezes another session's temporary tables (patches/): a session that never ended would hold back all of the
    // database's transaction numbers. Ponder passes every option on to pg's pool.
    poolConfig: { max: 12, ...{ maxLifetimeSeconds: SESSION_S } },
  },
  chains: {
    chain: {
      id: chain.id,
      rpc: createRpcTransport(chain.rpcUrl, chain.simulated ? REQUESTS_PER_SECOND_LOCALLY : undefined),
      ...(chain.wsUrl === undefined ? {} : { ws: chain.wsUrl }),
      // A local node is polled instead of subscribed to: Hardhat drops a subscription after five minutes, silently.
      pollingInterval: chain.blockPollMs,
      // The cache knows a chain by its number alone; a local chain's number outlives the chain.
      disableCache: chain.simulated,
    },
  },
  contracts: {
    DeliveryVsPayment: {
      chain: "chain",
      abi: deliveryVsPaymentAbi,
      address: chain.contract,
      // Earlier than any block that is not final: if there is no finalized block to begin with, Ponder reports to be ready
      // after a restart although the rows of its last checkpoint are gone.
      startBlock: Math.max(0, chain.startBlock - DEEPEST_REORG),
    },
  },
});
