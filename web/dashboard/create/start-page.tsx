// Guides the user through the first payment in four steps. The gateway's data determines which steps are done; the
// browser stores nothing.
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useTexts } from "../../i18n/language.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/hex.tsx";
import { Icon } from "../../ui/icons.tsx";
import { developers } from "../developers/texts.ts";
import { Problem } from "../parts/problem.tsx";
import { useAttempt } from "../parts/use-attempt.ts";
import { useTitle } from "../parts/use-title.ts";
import { kinds, useApi, useIsAllowed, useSigned } from "../session/session.tsx";

const PAID = ["SUCCEEDED", "SETTLED", "FINAL"];
const PAID_OUT = ["SETTLED", "FINAL"];

/** Returns the shell command. @param key if undefined, the command reads the key from an environment variable */
const snippet = (key: string | undefined) => `curl ${location.origin}/v1/payment-intents \\
  -H "X-API-Key: ${key ?? "$GATEWAY_API_KEY"}" -H "Content-Type: application/json" \\
  -d '{"amount": "100.00", "currency": "USDC", "type": "DELIVERY_VS_PAYMENT",
       "settlementMethod": "OFF_RAMP_MOCK", "settlementDestination": "bank_account_123",
       "description": "My first payment", "autoRelease": true}'`;

export function StartPage() {
  const t = useTexts(developers);
  const { api } = useSigned();
  const isAdmin = useIsAllowed("configure");
  const canCreate = useIsAllowed("write");
  const [secret, setSecret] = useState<string>();
  const { error, attempt } = useAttempt();
  useTitle(t("start.title"));
  const keys = useApi("first keys", ({ apiKeys }) => apiKeys.list({ limit: 20 }));
  const payments = useApi(
    "first payments",
    ({ paymentIntents }) => paymentIntents.list({ limit: 20 }),
    kinds("payment_intent"),
  );
  const intents = payments.data?.data ?? [];
  const paid = intents.find(({ status }) => PAID.includes(status));
  const latest = paid ?? intents[0];
  const hasKey = secret !== undefined || keys.data?.data.some(({ state }) => state === "active") === true;
  const createKey = () =>
    attempt(async () => {
      setSecret((await api((gateway) => gateway.apiKeys.create({ name: "First payment" }))).secret);
    });
  return (
    <>
      <h1>{t("start.title")}</h1>
      <p className="soft">{t("start.text")}</p>
      <Problem error={error ?? payments.error} />
      <ol className="steps">
        <Step title={t("start.key")} isDone={hasKey}>
          <p>{t("start.key.text")}</p>
          {secret && (
            <code className="secret" data-testid="secret">
              {secret}
            </code>
          )}
          {isAdmin && !secret && (
            <Button tone={hasKey ? "plain" : "main"} onClick={() => void createKey()}>
              {t("start.key.do")}
            </Button>
          )}
        </Step>
        <Step title={t("start.payment")} isDone={intents.length > 0}>
          <p>{t("start.payment.text")}</p>
          <pre className="code" data-testid="snippet">
            {snippet(secret)}
          </pre>
          <div className="row">
            <CopyButton value={snippet(secret)} className="button" />
            {canCreate && <Link to="/payments/new">{t("start.payment.ui")}</Link>}
          </div>
        </Step>
        <Step title={t("start.pay")} isDone={paid !== undefined}>
          <p>{t("start.pay.text")}</p>
          {latest && !paid && (
            <a className="button" href={latest.data.paymentUrl} target="_blank" rel="noreferrer noopener">
              {t("start.pay.do")}
            </a>
          )}
        </Step>
        <Step title={t("start.proof")} isDone={intents.some(({ status }) => PAID_OUT.includes(status))}>
          <p>{t("start.proof.text")}</p>
          {paid && (
            <Link to="/payments/$id" params={{ id: paid.id }} className="button">
              {t("start.proof.do")}
            </Link>
          )}
        </Step>
      </ol>
    </>
  );
}

function Step({ title, isDone, children }: { title: string; isDone: boolean; children: ReactNode }) {
  const t = useTexts(developers);
  return (
    <li className={`card stack step ${isDone ? "card-good" : ""}`}>
      <h2 className="row">
        {isDone && <Icon name="check" />}
        <span>{title}</span>
        <span className={`tag ${isDone ? "tag-good" : ""}`}>{t(isDone ? "start.done" : "start.open")}</span>
      </h2>
      {children}
    </li>
  );
}
