// The payment page: loads the payment, verifies it, and shows its current state.
import { type ReactNode, useEffect, useMemo } from "react";
import type { IntentId } from "#core/ids.ts";
import { common } from "../i18n/common.ts";
import { LanguageChoice, useLocale, useTexts } from "../i18n/language.tsx";
import { showAmount } from "../ui/format.ts";
import { Icon } from "../ui/icons.tsx";
import { Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Support } from "./merchant.tsx";
import { type Checkout, isPayable } from "./payment/checkout.ts";
import { pay } from "./payment/texts.ts";
import { type Verified, verify } from "./payment/verify.ts";
import { Progress } from "./progress.tsx";
import { Receipt } from "./receipt.tsx";
import { Status } from "./status.tsx";
import { Conditions, Summary } from "./summary.tsx";
import { useCheckout } from "./use-checkout.ts";
import { WalletGate } from "./wallet/wallet-gate.tsx";
import { WayBack } from "./way-back.tsx";

/** @param first data that the server rendered into the document */
export function PaymentPage({ id, first }: { id: IntentId | undefined; first: Checkout | undefined }) {
  const { checkout, unknown, lost } = useCheckout(id, first);
  const verified = useMemo(() => (id && checkout ? verify(id, checkout) : undefined), [id, checkout]);
  return (
    <Shell testMode={checkout?.data.testMode ?? false}>
      {unknown ? (
        <Message title="unknown.title" text="unknown.text" />
      ) : !checkout ? (
        <Waiting lost={lost} />
      ) : verified ? (
        <Payment checkout={checkout} verified={verified} lost={lost} />
      ) : (
        <Message title="tampered.title" text="tampered.text" bad />
      )}
    </Shell>
  );
}

function Shell({ testMode, children }: { testMode: boolean; children: ReactNode }) {
  const t = useTexts(pay);
  const c = useTexts(common);
  return (
    <div className="sheet">
      <a className="skip" href="#content">
        {c("skip")}
      </a>
      <header className="top">
        <p className="brand">
          <Icon name="lock" className="brand-icon" />
          {t("brand")}
        </p>
        {testMode && <span className="tag tag-warn">{t("testMode")}</span>}
      </header>
      <main id="content">{children}</main>
      <footer className="foot">
        <LanguageChoice />
      </footer>
    </div>
  );
}

type MessageKey = "unknown" | "tampered";

function Message({
  title,
  text,
  bad = false,
}: {
  title: `${MessageKey}.title`;
  text: `${MessageKey}.text`;
  bad?: boolean;
}) {
  const t = useTexts(pay);
  return (
    <div className={`card stack narrow ${bad ? "card-bad" : ""}`} role={bad ? "alert" : undefined}>
      <h1>{t(title)}</h1>
      <p>{t(text)}</p>
    </div>
  );
}

function Waiting({ lost }: { lost: boolean }) {
  const t = useTexts(pay);
  return (
    <div className="card stack narrow" role="status">
      <h1 className="row">
        <span className="spinner" aria-hidden="true" />
        {t("loading.title")}
      </h1>
      <Skeleton lines={4} />
      {lost && <Notice tone="warn">{t("lost.first")}</Notice>}
    </div>
  );
}

/** Returns the document title for this payment. */
function useTitle({ data }: Checkout, { terms }: Verified): string {
  const t = useTexts(pay);
  const locale = useLocale();
  const amount = showAmount(terms.amount, data.currency, locale);
  return t("document.title", { amount, merchant: data.merchantName });
}

function Payment({ checkout, verified, lost }: { checkout: Checkout; verified: Verified; lost: boolean }) {
  const t = useTexts(pay);
  const { order } = checkout.data;
  const title = useTitle(checkout, verified);
  useEffect(() => {
    document.title = title;
  }, [title]);
  const payable = isPayable(checkout);
  const shown = { checkout, verified };
  const wallet = <WalletGate key="wallet" {...shown} />;
  const back = <WayBack key="back" checkout={checkout} />;
  // A payment that ended without being paid shows no progress.
  const progress = (order || checkout.status !== "CANCELED") && <Progress key="progress" {...shown} />;
  // The payer's task comes first until it is done. The wallet stays connected when its section moves on the page.
  const parts = payable
    ? [wallet, back]
    : [back, progress, wallet, order && <Receipt key="receipt" {...shown} />];
  return (
    <div className={`columns ${payable ? "" : "columns-over"}`}>
      <Summary checkout={checkout} verified={verified} />
      <div className="stack doing">
        {lost && (
          <div role="status">
            <Notice tone="warn">{t("lost.later")}</Notice>
          </div>
        )}
        <Status checkout={checkout} verified={verified} />
        {parts}
      </div>
      <div className="stack terms">
        <Conditions checkout={checkout} verified={verified} />
        <Support data={checkout.data} />
      </div>
    </div>
  );
}
