// The connection to the chain: one HTTP client per process.
import {
  type Chain,
  ContractFunctionExecutionError,
  ContractFunctionRevertedError,
  createPublicClient,
  defineChain,
  http,
  type PublicClient,
  type Transport,
} from "viem";
import { serviceUnavailable } from "../errors.ts";

export type ChainClient = PublicClient<Transport, Chain>;

export function connectChain({ chain }: { chain: { id: number; rpcUrl: string } }): ChainClient {
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

/** The hash of block 0. It distinguishes a chain from every other chain with the same chain id. */
export async function loadGenesisHash(client: ChainClient) {
  const { hash } = await client.getBlock({ blockNumber: 0n });
  return hash;
}

/** Names of errors without a response to the call, because the node could not be reached. */
const UNREACHABLE = new Set([
  "HttpRequestError",
  "TimeoutError",
  "SocketClosedError",
  "WebSocketRequestError",
  "LimitExceededRpcError",
]);

/** Names of errors that mean that the node did not or could not execute the call. */
const NODE_FAILED = new Set([...UNREACHABLE, "RpcRequestError", "UnknownRpcError"]);

/** Matches EVM failures other than a revert, which nodes report only in the message. */
const HALTED = /out of gas|invalid opcode|invalid jump|stack (under|over)flow/i;

function* causesOf(error: unknown): Generator<Error> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) yield cause;
}

/** viem treats every JSON-RPC error -32603 as a revert, but an actual revert has data or says so in its reason. */
const isRevert = (error: Error): boolean =>
  error.name === "ExecutionRevertedError" ||
  (error instanceof ContractFunctionRevertedError &&
    (error.raw !== undefined || /revert/i.test(error.reason ?? "")));

/** Whether the contract itself caused the error: it reverted, or its return data does not have the expected shape. */
function isContractsAnswer(error: unknown): boolean {
  const causes = [...causesOf(error)];
  if (causes.some((cause) => isRevert(cause) || HALTED.test(cause.message))) return true;
  const called = causes.some((cause) => cause instanceof ContractFunctionExecutionError);
  return called && !causes.some((cause) => NODE_FAILED.has(cause.name));
}

/** Whether a viem error means that the chain could not be reached. */
export function isUnreachable(error: unknown): boolean {
  return [...causesOf(error)].some(({ name }) => UNREACHABLE.has(name));
}

/** Runs a request to the chain. If the chain is unreachable, the caller receives a 503 instead of a stack trace. */
export async function askChain<T>(question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    if (isUnreachable(error)) throw serviceUnavailable("The blockchain cannot be reached.", error);
    throw error;
  }
}

/**
 * Calls a function that the contract may not have.
 * @returns undefined if the contract reverts or returns unexpected data
 * @throws ServiceError 503 if the node does not respond
 */
export async function callIfSupported<T>(question: () => Promise<T>): Promise<T | undefined> {
  try {
    return await question();
  } catch (error) {
    if (isContractsAnswer(error)) return undefined;
    throw serviceUnavailable("The blockchain node cannot be queried.", error);
  }
}
