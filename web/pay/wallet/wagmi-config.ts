// wagmi's config for the payment's chain. It reads the chain through the payer's own wallet, so the page
// contacts only its gateway.
import { type Chain, defineChain } from "viem";
import { type Config, createConfig, createStorage, injected, unstable_connector } from "wagmi";
import { storage } from "../../storage.ts";
import type { Checkout } from "../payment/checkout.ts";
import { WALLET_CONNECT, wasConnectedBy } from "./find-wallets.ts";
import { createWalletConnect } from "./wallet-connect.ts";

function buildChain({ chainId, network }: Checkout["data"]): Chain {
  const { name, currency, explorerUrl, rpcUrl } = network;
  return defineChain({
    id: chainId,
    name,
    nativeCurrency: { name: currency, symbol: currency, decimals: 18 },
    // wagmi adds this chain to wallets that do not know it yet.
    rpcUrls: { default: { http: rpcUrl === null ? [] : [rpcUrl] } },
    ...(explorerUrl === null ? {} : { blockExplorers: { default: { name: "Explorer", url: explorerUrl } } }),
  });
}

/** Creates a config with every wallet that announces itself (EIP-6963) and the wallet at window.ethereum. */
const createFor = (chain: Chain, projectId: string | null): Config =>
  createConfig({
    chains: [chain],
    connectors: [
      injected(),
      ...(projectId !== null && wasConnectedBy(WALLET_CONNECT.id) ? [createWalletConnect(projectId)] : []),
    ],
    transports: { [chain.id]: unstable_connector(injected, { retryCount: 0 }) },
    multiInjectedProviderDiscovery: true,
    storage: createStorage({ storage }),
  });

const made = new Map<number, Config>();

/**
 * Returns one config per chain for the page's lifetime. Rendering does not create another config: React may render
 * twice and keep one result, and wagmi, which reconnects one config at a time, might have reconnected the other.
 */
export function walletConfig(data: Checkout["data"], projectId: string | null): Config {
  const known = made.get(data.chainId);
  if (known) return known;
  const config = createFor(buildChain(data), projectId);
  made.set(data.chainId, config);
  return config;
}
