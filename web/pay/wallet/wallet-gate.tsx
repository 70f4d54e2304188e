// Shows the list of wallets until the payer chooses one. The rest of the wallet section is by far the largest part of
// the page's scripts, so it is loaded only for a wallet that was chosen, or that was connected when the payer left the
// page.
import { lazy, Suspense, useState } from "react";
import { ErrorBoundary } from "../../ui/error-boundary.tsx";
import type { Checkout } from "../payment/checkout.ts";
import type { Verified } from "../payment/verify.ts";
import { useFoundWallets, wasConnected } from "./find-wallets.ts";
import { loadKept } from "./kept.ts";
import { WalletCard } from "./wallet-card.tsx";
import { WalletList } from "./wallet-list.tsx";

const load = () => import("./wallet-part.tsx");
const WalletPart = lazy(load);

type PaymentProps = { checkout: Checkout; verified: Verified };

export function WalletGate(shown: PaymentProps) {
  const [chosen, setChosen] = useState<string>();
  const [goesOn] = useState(
    () => typeof window !== "undefined" && (wasConnected() || loadKept(shown.verified.id) !== undefined),
  );
  if (chosen === undefined && !goesOn) return <Choice {...shown} onChoose={setChosen} />;
  return (
    <ErrorBoundary reference={shown.verified.id}>
      <Suspense fallback={<Choice {...shown} waiting={chosen} onChoose={setChosen} />}>
        <WalletPart {...shown} chosen={chosen} />
      </Suspense>
    </ErrorBoundary>
  );
}

function Choice({
  waiting,
  onChoose,
  ...shown
}: PaymentProps & { waiting?: string | undefined; onChoose(id: string): void }) {
  const wallets = useFoundWallets();
  return (
    <WalletCard {...shown}>
      {/* Preloads the code, because a payer who moves the pointer to a wallet will probably choose it. */}
      <div className="stack" onPointerEnter={() => wallets.length > 0 && void load().catch(() => undefined)}>
        <WalletList wallets={wallets} waiting={waiting} onChoose={onChoose} />
      </div>
    </WalletCard>
  );
}
