// The card around all content that requires the payer's wallet. It shows the purpose, and a text until a wallet is
// connected.
import type { ReactNode } from "react";
import { useTexts } from "../../i18n/language.tsx";
import { shortHex } from "../../ui/format.ts";
import { useNow } from "../../ui/use-now.ts";
import { type Checkout, isPayable, isRevocable, keepsAllowance } from "../payment/checkout.ts";
import { listRights } from "../payment/rights.ts";
import type { Verified } from "../payment/verify.ts";
import { choosing } from "./choosing-texts.ts";

type PaymentProps = { checkout: Checkout; verified: Verified };

/** Returns the current purpose of a wallet for the payer, or undefined if there is none. */
function usePurpose({ checkout, verified }: PaymentProps): "pay" | "rights" | "revoke" | undefined {
  const rights = listRights(checkout, verified, useNow());
  if (!checkout.data.movable) return undefined;
  if (isPayable(checkout)) return "pay";
  if (checkout.data.order) return rights.length > 0 || keepsAllowance(checkout) ? "rights" : undefined;
  return isRevocable(checkout) ? "revoke" : undefined;
}

/** @param connected whether a wallet is connected, or the payer has to take another step first */
export function WalletCard({
  connected = false,
  children,
  ...shown
}: PaymentProps & { connected?: boolean; children: ReactNode }) {
  const t = useTexts(choosing);
  const purpose = usePurpose(shown);
  const { order } = shown.checkout.data;
  if (purpose === undefined) return null;
  if (purpose === "pay") {
    return (
      <section className="card stack wallet-card" aria-labelledby="wallet">
        <h2 id="wallet" className={connected ? "hidden" : ""}>
          {t(connected ? "pay.title" : "choose.title")}
        </h2>
        {children}
      </section>
    );
  }
  return (
    <section className="card stack wallet-card no-print" aria-labelledby="wallet">
      <div className="stack-tight">
        <h2 id="wallet">{t(`${purpose}.title`)}</h2>
        <p className="small soft">{t(purpose === "rights" ? "rights.direct" : "revoke.closed")}</p>
      </div>
      {order && !connected && <p>{t("rights.connect", { payer: shortHex(order.payer) })}</p>}
      {children}
    </section>
  );
}
