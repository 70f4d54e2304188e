// A wagmi connector for WalletConnect. Its provider is larger than the rest of the page, so it is loaded only if the
// payer chooses WalletConnect or was connected through it when leaving the page. The page shows the pairing URI itself.
import type { Config, Connector, CreateConnectorFn } from "wagmi";
import { walletConnect } from "wagmi/connectors/walletConnect";
import { WALLET_CONNECT } from "./find-wallets.ts";

/** wagmi creates the provider together with the connector. */
export const createWalletConnect = (projectId: string): CreateConnectorFn =>
  walletConnect({
    projectId,
    showQrModal: false,
    metadata: {
      name: document.title,
      description: document.title,
      url: location.origin,
      icons: [],
    },
  }) as CreateConnectorFn;

const made = new WeakMap<Config, Connector>();

/** Returns one connector per config. A second connector would open a second connection to the relay. */
export function walletConnectFor(config: Config, projectId: string): Connector {
  const known = config.connectors.find(({ id }) => id === WALLET_CONNECT.id) ?? made.get(config);
  if (known) return known;
  const connector = config._internal.connectors.setup(createWalletConnect(projectId));
  made.set(config, connector);
  return connector;
}

/** Calls `show` with every URI that a wallet can pair with. @returns a function that unsubscribes */
export function onPairing({ emitter }: Connector, show: (uri: string) => void): () => void {
  const listen = ({ type, data }: { type: string; data?: unknown }) => {
    if (type === "display_uri" && typeof data === "string") show(data);
  };
  emitter.on("message", listen);
  return () => emitter.off("message", listen);
}
