// Connects to the node of a deployment, and translates its errors for the user.
import {
  type Account,
  type Address,
  BaseError,
  createPublicClient,
  createWalletClient,
  defineChain,
  type Hash,
  type Hex,
  http,
} from "viem";
import { isUnreachable } from "#core/chain/client.ts";
import { UserError } from "../../shared/errors.ts";
import { until, WaitTimeout } from "../../shared/wait.ts";

export interface NodeOptions {
  rpcUrl: string;
  chainId: number;
  name: string;
  nativeCurrency: string;
}

export type Node = ReturnType<typeof connectNode>;

/** A transaction that deploys a contract if `to` is missing. */
export type Call = { to?: Address; data?: Hex; value?: bigint };

const REQUEST_MS = 15_000;
/** A transaction may wait this long for cheaper gas; then the user has to decide. */
const MINED_MS = 10 * 60_000;
const POLL_MS = 500;

export function connectNode({ rpcUrl, chainId, name, nativeCurrency }: NodeOptions) {
  const chain = defineChain({
    id: chainId,
    name,
    nativeCurrency: { name: nativeCurrency, symbol: nativeCurrency, decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  const reader = createPublicClient({
    chain,
    transport: http(rpcUrl, { timeout: REQUEST_MS }),
    pollingInterval: POLL_MS,
    cacheTime: 0,
  });
  // Does not retry: the node would reject a resent transaction as known. If a response is lost, the next run finds the
  // transaction on chain.
  const writer = createWalletClient({
    chain,
    transport: http(rpcUrl, { timeout: REQUEST_MS, retryCount: 0 }),
  });

  async function hasPending(address: Address): Promise<boolean> {
    const [mined, sent] = await Promise.all([
      reader.getTransactionCount({ address, blockTag: "latest" }),
      reader.getTransactionCount({ address, blockTag: "pending" }),
    ]);
    return sent > mined;
  }

  /** Waits for all pending transactions, including those of an interrupted run, which must not be sent again. */
  async function untilNothingPending(address: Address): Promise<void> {
    await until(async () => !(await hasPending(address)), {
      what: `Mining of the pending transactions of ${address}`,
      timeoutMs: MINED_MS,
    });
  }

  /** The node's error without its URL, which may contain a key. */
  function describeError(error: unknown): string {
    const details =
      error instanceof BaseError ? `${error.shortMessage} ${error.details ?? ""}` : String(error);
    return details.replaceAll(rpcUrl, "RPC_URL").replace(/\s+/g, " ").trim();
  }

  return {
    chain,
    reader,
    hasPending,
    untilNothingPending,
    describeError,
    /** Signs and sends a transaction, and resolves when it is mined. The caller checks its effect on chain. */
    async send(account: Account, call: Call): Promise<Hash> {
      await untilNothingPending(account.address);
      const hash = await writer.sendTransaction({ account, ...call });
      await reader.waitForTransactionReceipt({ hash, timeout: MINED_MS });
      return hash;
    },
    /** Converts the error to a UserError if it came from the node. */
    translate(error: unknown): unknown {
      if (isUnreachable(error)) return new UserError("The node in RPC_URL does not respond.");
      if (error instanceof WaitTimeout) return new UserError(`${error.message} Run this again later.`);
      if (error instanceof BaseError)
        return new UserError(`The node rejected the request: ${describeError(error)}`);
      return error;
    },
  };
}

/** PUSH0, TSTORE and MCOPY, then STOP: the newest instructions that the escrow uses. */
const CANCUN: Hex = "0x5f5f5d5f5f5f5e00";

/** @throws UserError if the node's chain is not the one in the settings, or cannot run the escrow */
export async function requireChain({ reader, describeError }: Node, chainId: number): Promise<void> {
  const answered = await reader.getChainId();
  if (answered !== chainId) {
    throw new UserError(
      `The settings are for chain ${chainId}; the node in RPC_URL is on chain ${answered}.`,
    );
  }
  try {
    await reader.call({ data: CANCUN });
  } catch (error) {
    if (isUnreachable(error)) throw error;
    throw new UserError(
      `Chain ${chainId} does not support the Cancun instructions that the escrow uses: ${describeError(error)}`,
    );
  }
}
