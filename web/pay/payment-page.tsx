// The payment page as a whole: finds the payment, checks it, and shows what is true of it now.
import { lazy, type ReactNode, Suspense, useEffect, useMemo } from "react";
import { common } from "../i18n/common.ts";
import { LanguageChoice, useLocale, useTexts } from "../i18n/language.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { showAmount } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { type Checkout, isPayable, isRevocable } from "./checkout.ts";
import { intentOfAddress } from "./intent-of-address.ts";
import { Progress } from "./progress.tsx";
import { QrCode } from "./qr-code.tsx";
import { Receipt } from "./receipt.tsx";
import { Status } from "./status.tsx";
import { Conditions, Summary } from "./summary.tsx";
import { pay } from "./texts.ts";
import { useCheckout } from "./use-checkout.ts";
import { type Verified, verify } from "./verify.ts";
import { WayBack } from "./way-back.tsx";

/** Comes after what there is to read: it is the larger part of the page. */
const WalletPart = lazy(() => import("./wallet/wallet-part.tsx"));

export function PaymentPage() {
  const id = useMemo(() => intentOfAddress(location.search), []);
  const { checkout, unknown, lost } = useCheckout(id);
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
      <header className="row spread">
        <p className="brand">
          <Lock />
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

const Lock = () => (
  <svg className="lock" viewBox="0 0 24 24" aria-hidden="true">
    <path d="M8 10V7.5a4 4 0 0 1 8 0V10" />
    <rect x="5" y="10" width="14" height="10" rx="2.5" />
  </svg>
);

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
      {lost && <Notice tone="warn">{t("lost.first")}</Notice>}
    </div>
  );
}

function Payment({ checkout, verified, lost }: { checkout: Checkout; verified: Verified; lost: boolean }) {
  const t = useTexts(pay);
  const locale = useLocale();
  const { merchantName: merchant, currency, order, movable } = checkout.data;
  const amount = showAmount(verified.terms.amount, currency, locale);
  useEffect(() => {
    document.title = t("document.title", { amount, merchant });
  }, [t, amount, merchant]);
  const payable = isPayable(checkout);
  return (
    <div className="columns">
      <Summary checkout={checkout} verified={verified} />
      <div className="stack doing">
        {lost && (
          <div role="status">
            <Notice tone="warn">{t("lost.later")}</Notice>
          </div>
        )}
        <Status checkout={checkout} verified={verified} />
        <WayBack checkout={checkout} />
        {movable && (payable || order || isRevocable(checkout)) && (
          <ErrorBoundary>
            <Suspense fallback={<div className="card stack wallet-coming" aria-busy="true" />}>
              <WalletPart checkout={checkout} verified={verified} />
            </Suspense>
          </ErrorBoundary>
        )}
        {(order || !payable) && <Progress checkout={checkout} verified={verified} />}
        {order && <Receipt checkout={checkout} verified={verified} />}
        {(payable || checkout.status === "SUCCEEDED") && <QrCode address={location.href} />}
      </div>
      <Conditions checkout={checkout} verified={verified} />
    </div>
  );
}
