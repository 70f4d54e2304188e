// A fake chain that a test describes by its identity, the escrow's token list, and the tokens.
import {
  type Address,
  createPublicClient,
  custom,
  decodeFunctionData,
  encodeFunctionResult,
  erc20Abi,
  type Hex,
  numberToHex,
} from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import type { ChainClient } from "#core/chain/client.ts";
import type { Config } from "#core/config/config.ts";
import { type DeploymentFacts, listWallets } from "#core/deployment/deployment.ts";
import { hardhatChain } from "#scripts/devnet/hardhat-chain.ts";
import { emptyBlock } from "#test/settlement/support/fake-rpc.ts";

export type TokenOnChain = { decimals: number; symbol: string; listed: boolean };

export type FakeChain = {
  chainId: number;
  genesisHash: Hex;
  escrows: Address[];
  tokens: Record<Address, TokenOnChain>;
  /** RPC methods that get no response. */
  silent?: readonly string[] | "all";
};

/** Returns the facts of a deployment with these settings. */
export const factsFor = (config: Config, genesisHash: Hex): DeploymentFacts => {
  const { id: chainId, contract: contractAddress, tokens, units } = config.chain;
  return {
    ...{ chainId, genesisHash, contractAddress, startBlock: 1, tokens, units },
    wallets: listWallets(config),
  };
};

/** Returns a chain on which these settings are correct. */
export const chainFor = (facts: DeploymentFacts): FakeChain => ({
  chainId: facts.chainId,
  genesisHash: facts.genesisHash,
  escrows: [facts.contractAddress],
  tokens: Object.fromEntries(
    Object.entries(facts.tokens).map(([currency, token]) => [
      token,
      { decimals: 18, symbol: currency, ...facts.units[currency], listed: true },
    ]),
  ),
});

function call(chain: FakeChain, { to, data }: { to: Address; data: Hex }): Hex {
  if (chain.escrows.includes(to)) {
    const { args } = decodeFunctionData({ abi: deliveryVsPaymentAbi, data });
    const [token] = args as readonly [Address];
    const result = chain.tokens[token]?.listed ?? false;
    return encodeFunctionResult({ abi: deliveryVsPaymentAbi, functionName: "isTokenListed", result });
  }
  const token = chain.tokens[to];
  // The response of an address without code.
  if (!token) return "0x";
  try {
    const { functionName } = decodeFunctionData({ abi: erc20Abi, data });
    if (functionName === "decimals")
      return encodeFunctionResult({ abi: erc20Abi, functionName, result: token.decimals });
    return encodeFunctionResult({ abi: erc20Abi, functionName: "symbol", result: token.symbol });
  } catch {
    throw Object.assign(new Error("execution reverted"), { code: 3 });
  }
}

/** @param chain the test may change it while the client is in use */
export const clientOn = (chain: FakeChain): ChainClient =>
  createPublicClient({
    chain: hardhatChain,
    transport: custom(
      {
        async request({ method, params }: { method: string; params: unknown[] }) {
          if (chain.silent === "all" || chain.silent?.includes(method)) throw new Error("connection refused");
          if (method === "eth_chainId") return numberToHex(chain.chainId);
          if (method === "eth_getBlockByNumber") return { ...emptyBlock, hash: chain.genesisHash };
          if (method === "eth_call") return call(chain, params[0] as { to: Address; data: Hex });
          if (method !== "eth_getCode") throw new Error(`The test's chain has no answer to ${method}.`);
          const address = params[0] as Address;
          return chain.escrows.includes(address) || address in chain.tokens ? "0x60" : "0x";
        },
      },
      { retryCount: 0 },
    ),
  });
