// The part of the page that requires the payer's wallet: connecting, paying, and the payer's rights afterwards.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createContext, useContext, useMemo, useReducer } from "react";
import { useConnection, WagmiProvider } from "wagmi";
import { useEnvironment } from "../../ui/environment.tsx";
import { type Checkout, isPayable } from "../payment/checkout.ts";
import type { Verified } from "../payment/verify.ts";
import { Chosen, ChosenWallet } from "./chosen.ts";
import { Connected } from "./connected.tsx";
import { loadKept } from "./kept.ts";
import type { Step } from "./pay.ts";
import { PayPanel } from "./pay-panel.tsx";
import { RevokeDetails, RevokePanel } from "./revoke-panel.tsx";
import { RightsPanel } from "./rights-panel.tsx";
import { Unfinished } from "./unfinished.tsx";
import { useWalletAction } from "./use-wallet-action.ts";
import { walletConfig } from "./wagmi-config.ts";
import { WalletCard } from "./wallet-card.tsx";
import { Wallets } from "./wallets.tsx";

type PaymentProps = { checkout: Checkout; verified: Verified };

const queries = new QueryClient();
const Current = createContext<PaymentProps | undefined>(undefined);

/** @param chosen id of the wallet to connect */
export default function WalletPart({
  checkout,
  verified,
  chosen,
}: PaymentProps & { chosen: string | undefined }) {
  const { walletConnectProjectId } = useEnvironment();
  const config = walletConfig(checkout.data, walletConnectProjectId);
  // Must stay the same element on every stream message, because wagmi reconnects whenever its provider is re-rendered.
  const provided = useMemo(
    () => (
      <WagmiProvider config={config}>
        <QueryClientProvider client={queries}>
          <Chosen value={new ChosenWallet(chosen)}>
            <Part />
          </Chosen>
        </QueryClientProvider>
      </WagmiProvider>
    ),
    [config, chosen],
  );
  const current = useMemo(() => ({ checkout, verified }), [checkout, verified]);
  return <Current value={current}>{provided}</Current>;
}

function Part() {
  const current = useContext(Current);
  if (!current) return null;
  if (isPayable(current.checkout)) return <Paying {...current} />;
  return current.checkout.data.order ? <RightsPanel {...current} /> : <RevokePanel {...current} />;
}

function Paying({ checkout, verified }: PaymentProps) {
  const { isConnected } = useConnection();
  const action = useWalletAction<Step>("silent");
  const [, showKept] = useReducer((times: number) => times + 1, 0);
  const kept = action.step === undefined ? loadKept(verified.id) : undefined;
  return (
    <WalletCard checkout={checkout} verified={verified} connected={isConnected || kept !== undefined}>
      {kept ? (
        <Unfinished kept={kept} checkout={checkout} verified={verified} action={action} />
      ) : isConnected ? (
        <Connected network={checkout.data.network} chainId={verified.chainId}>
          <PayPanel checkout={checkout} verified={verified} action={action} />
        </Connected>
      ) : (
        <Wallets />
      )}
      {isConnected && action.step === undefined && (
        <RevokeDetails checkout={checkout} verified={verified} onRevoked={showKept} />
      )}
    </WalletCard>
  );
}
