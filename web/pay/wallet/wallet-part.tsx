// Everything that needs the payer's wallet: connecting it, paying, and the payer's rights afterwards.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useMemo } from "react";
import { useConnection, WagmiProvider } from "wagmi";
import { useTexts } from "../../i18n/language.tsx";
import { type Checkout, isPayable } from "../checkout.ts";
import type { Verified } from "../verify.ts";
import { chainOf, walletConfig } from "./config.ts";
import { Connected } from "./connected.tsx";
import { PayPanel } from "./pay-panel.tsx";
import { RightsPanel } from "./rights-panel.tsx";
import { wallet } from "./texts.ts";
import { Wallets } from "./wallets.tsx";

type Shown = { checkout: Checkout; verified: Verified };

const queries = new QueryClient();

export default function WalletPart({ checkout, verified }: Shown) {
  const chainId = checkout.data.chainId;
  // One for the page's life: a stream's news does not make another chain of it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chain is known by its id
  const config = useMemo(() => walletConfig(chainOf(checkout.data)), [chainId]);
  return (
    <WagmiProvider config={config}>
      <QueryClientProvider client={queries}>
        {isPayable(checkout) ? (
          <Paying checkout={checkout} verified={verified} />
        ) : (
          <RightsPanel checkout={checkout} verified={verified} />
        )}
      </QueryClientProvider>
    </WagmiProvider>
  );
}

function Paying({ checkout, verified }: Shown) {
  const t = useTexts(wallet);
  const { isConnected } = useConnection();
  return (
    <section className="card stack" aria-labelledby="paying">
      <h2 id="paying" className={isConnected ? "hidden" : ""}>
        {t("choose.title")}
      </h2>
      {isConnected ? (
        <Connected network={checkout.data.network} chainId={verified.chainId}>
          <PayPanel checkout={checkout} verified={verified} />
        </Connected>
      ) : (
        <Wallets />
      )}
    </section>
  );
}
