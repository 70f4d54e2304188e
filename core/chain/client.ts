// The connection to the chain: one HTTP client a role.
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
import type { Config } from "../config/config.ts";
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
  "LimitExceededRpcError",
]);

/** Errors of the node's own: it did not run the call, or could not. */
const NODE_FAILED = new Set([...UNREACHABLE, "RpcRequestError", "UnknownRpcError"]);

/** How the EVM ends a call without a revert. Nodes tell it in words alone. */
const HALTED = /out of gas|invalid opcode|invalid jump|stack (under|over)flow/i;

function* causesOf(error: unknown): Generator<Error> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) yield cause;
}

/** viem takes every JSON-RPC error -32603 for a revert; a revert has data or says so. */
const isRevert = (error: Error): boolean =>
  error.name === "ExecutionRevertedError" ||
  (error instanceof ContractFunctionRevertedError &&
    (error.raw !== undefined || /revert/i.test(error.reason ?? "")));

/** Whether the contract itself has answered a call so: it refused, or what came is not of the asked shape. */
function isContractsAnswer(error: unknown): boolean {
  const causes = [...causesOf(error)];
  if (causes.some((cause) => isRevert(cause) || HALTED.test(cause.message))) return true;
  const called = causes.some((cause) => cause instanceof ContractFunctionExecutionError);
  return called && !causes.some((cause) => NODE_FAILED.has(cause.name));
}

/** Whether an error of viem's means that the chain could not be asked at all. */
export function isUnreachable(error: unknown): boolean {
  return [...causesOf(error)].some(({ name }) => UNREACHABLE.has(name));
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

/**
 * Asks a contract of which it is not known that it has such a function.
 * @returns undefined if the contract refuses, or answers something else
 * @throws ServiceError 503 when its node does not say
 */
export async function answerOf<T>(question: () => Promise<T>): Promise<T | undefined> {
  try {
    return await question();
  } catch (error) {
    if (isContractsAnswer(error)) return undefined;
    throw serviceUnavailable("The blockchain cannot be asked.", error);
  }
}
