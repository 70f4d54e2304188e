// The dashboard as a whole: signing in, then the page that the address names.
import { lazy, Suspense, useState } from "react";
import { useTexts } from "../i18n/language.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { Notice } from "../ui/notice.tsx";
import { Loading } from "../ui/skeleton.tsx";
import { Toasts } from "../ui/toast.tsx";
import { AuditPage } from "./audit/audit-page.tsx";
import { KeysPage } from "./keys/keys-page.tsx";
import { NotFoundPage } from "./not-found-page.tsx";
import { PaymentPage } from "./payments/payment-page.tsx";
import { PaymentsPage } from "./payments/payments-page.tsx";
import { useAddress } from "./router.tsx";
import { type Session, SessionProvider, useSession } from "./session.tsx";
import { Shell } from "./shell.tsx";
import { SignIn, SignInAgain } from "./sign-in.tsx";
import { dashboard } from "./texts.ts";
import { WebhookPage } from "./webhooks/webhook-page.tsx";
import { WebhooksPage } from "./webhooks/webhooks-page.tsx";

/** With the chart, which nobody else needs. */
const SettlementsPage = lazy(() => import("./settlements/settlements-page.tsx"));

export function DashboardPage() {
  const t = useTexts(dashboard);
  const { data: session, error } = useSession();
  const [known, setKnown] = useState<Session>();
  if (session && session !== known) setKnown(session);
  const shown = session ?? known;
  if (!shown && session === null) return <SignIn />;
  if (!shown)
    return error ? (
      <main className="door">
        <h1 className="hidden">{t("brand")}</h1>
        <Notice tone="bad">{t("error.away")}</Notice>
      </main>
    ) : (
      <div className="door">
        <Loading />
      </div>
    );
  return (
    <SessionProvider key={shown.user.id} session={shown}>
      <Shell>
        <CurrentPage />
      </Shell>
      <Toasts />
      {session === null && <SignInAgain email={shown.user.email} />}
    </SessionProvider>
  );
}

/** A part that fails is left behind with its address. */
function CurrentPage() {
  const t = useTexts(dashboard);
  const { parts } = useAddress();
  return (
    <ErrorBoundary key={parts.join("/")} heading={<h1 className="hidden">{t("brand")}</h1>}>
      <Suspense fallback={<Loading lines={6} />}>
        <Section parts={parts} />
      </Suspense>
    </ErrorBoundary>
  );
}

function Section({ parts: [section = "payments", id] }: { parts: string[] }) {
  switch (section) {
    case "settlements":
      return <SettlementsPage />;
    case "keys":
      return <KeysPage />;
    case "webhooks":
      return id === undefined ? <WebhooksPage /> : <WebhookPage key={id} id={id} />;
    case "audit":
      return <AuditPage />;
    case "payments":
      return id === undefined ? <PaymentsPage /> : <PaymentPage key={id} id={id} />;
    default:
      return <NotFoundPage />;
  }
}
