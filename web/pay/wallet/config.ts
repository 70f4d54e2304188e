// wagmi for the one chain of a payment. It reads the chain through the payer's own wallet: the page talks to its gateway
// and to nobody else.
import { type Chain, defineChain } from "viem";
import { createConfig, injected, unstable_connector } from "wagmi";
import type { Checkout } from "../checkout.ts";

export function chainOf({ chainId, network }: Checkout["data"]): Chain {
  const { name, currency, explorerUrl, rpcUrl } = network;
  return defineChain({
    id: chainId,
    name,
    nativeCurrency: { name: currency, symbol: currency, decimals: 18 },
    // What a wallet is told that does not know the chain yet.
    rpcUrls: { default: { http: rpcUrl === null ? [] : [rpcUrl] } },
    ...(explorerUrl === null ? {} : { blockExplorers: { default: { name: "Explorer", url: explorerUrl } } }),
  });
}

/** Every wallet that announces itself (EIP-6963), and whatever is at window.ethereum. */
export const walletConfig = (chain: Chain) =>
  createConfig({
    chains: [chain],
    connectors: [injected()],
    transports: { [chain.id]: unstable_connector(injected, { retryCount: 0 }) },
    multiInjectedProviderDiscovery: true,
  });
