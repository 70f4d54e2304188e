// The connection to the chain: one HTTP client a role.
import { type Chain, createPublicClient, defineChain, http, type PublicClient, type Transport } from "viem";
import type { Config } from "../config.ts";
import { serviceUnavailable } from "../errors.ts";

export type ChainClient = PublicClient<Transport, Chain>;

export function connectChain({ chain }: { chain: Pick<Config["chain"], "id" | "rpcUrl"> }): ChainClient {
  const network = defineChain({
    id: chain.id,
    name: `chain-${chain.id}`,
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [chain.rpcUrl] } },
  });
  return createPublicClient({
    chain: network,
    transport: http(chain.rpcUrl, { timeout: 5_000, retryCount: 1 }),
    pollingInterval: 200,
  });
}

/** The hash of block 0, which tells a chain from every other that has its number. */
export async function genesisHashOf(client: ChainClient) {
  const { hash } = await client.getBlock({ blockNumber: 0n });
  return hash;
}

/** Errors with which a chain says nothing about our call: it could not be asked. */
const UNREACHABLE = new Set([
  "HttpRequestError",
  "TimeoutError",
  "SocketClosedError",
  "WebSocketRequestError",
]);

/** Whether an error of viem's means that the chain could not be asked at all. */
export function isUnreachable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (UNREACHABLE.has(cause.name)) return true;
  }
  return false;
}

/** Runs a question to the chain; when nobody answers, the caller meets a 503 and not our stack. */
export async function askChain<T>(question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    if (isUnreachable(error)) throw serviceUnavailable("The blockchain cannot be reached.", error);
    throw error;
  }
}
