// Finds the wallets of this browser: wallets that announce themselves (EIP-6963), otherwise the wallet at
// window.ethereum.
import { createStore, type EIP6963ProviderDetail } from "mipd";
import { useSyncExternalStore } from "react";
import { storage } from "../../storage.ts";
import type { choosing } from "./choosing-texts.ts";

/** `id` is the id of wagmi's connector. */
export type FoundWallet = { id: string; name: string | undefined; icon: string | undefined };

/** The wallet at window.ethereum, with the id of wagmi's connector for it. */
const AT_WINDOW: FoundWallet = { id: "injected", name: undefined, icon: undefined };
/** A wallet on another device or in another app. The connector's code is loaded when the payer chooses this option. */
export const WALLET_CONNECT: FoundWallet = { id: "walletConnect", name: "WalletConnect", icon: undefined };

const NONE: FoundWallet[] = [];

const store = typeof window === "undefined" ? undefined : createStore();
let announced: readonly EIP6963ProviderDetail[] | undefined;
let wallets = NONE;

function findWallets(): FoundWallet[] {
  const providers = store?.getProviders() ?? [];
  if (providers !== announced) {
    announced = providers;
    wallets = providers.map(({ info }) => ({ id: info.rdns, name: info.name, icon: info.icon }));
    if (wallets.length === 0 && "ethereum" in window) wallets = [AT_WINDOW];
  }
  return wallets;
}

const subscribe = (onChange: () => void) => store?.subscribe(onChange) ?? (() => undefined);

/** Empty on the server, which cannot detect wallets. */
export const useFoundWallets = (): FoundWallet[] => useSyncExternalStore(subscribe, findWallets, () => NONE);

/** Whether a wallet was connected when the payer left the page. wagmi reconnects that wallet. */
export function wasConnected(): boolean {
  try {
    return JSON.parse(storage.getItem("wagmi.store") ?? "{}").state?.current != null;
  } catch {
    return false;
  }
}

/** Whether that wallet was connected through the connector with this id. */
export const wasConnectedBy = (id: string): boolean =>
  storage.getItem("wagmi.recentConnectorId") === JSON.stringify(id);

export const formatWalletName = (
  { name }: FoundWallet,
  t: (key: keyof typeof choosing & "choose.other") => string,
) => name ?? t("choose.other");
