// Creates a payment manually, then shows its link, its QR code and a preview of the page that the payer sees.
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import type { Schemas } from "#sdk/index.ts";
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { Button } from "../../ui/button.tsx";
import { showDecimal, showMoment } from "../../ui/format.ts";
import { CopyButton } from "../../ui/hex.tsx";
import { developers } from "../developers/texts.ts";
import { Choice, Field } from "../parts/field.tsx";
import { Problem } from "../parts/problem.tsx";
import { QrCode } from "../parts/qr-code.tsx";
import { dashboard } from "../parts/texts.ts";
import { useAttempt } from "../parts/use-attempt.ts";
import { useTitle } from "../parts/use-title.ts";
import { useIsAllowed, useSigned } from "../session/session.tsx";

type Intent = Schemas["PaymentIntent"];
type Body = Schemas["CreatePaymentIntent"];

const RELEASE = ["AUTO_RELEASE", "DELIVERY_PROOF", "MILESTONE_LOCKED"] as const;
const METHODS = {
  test: ["OFF_RAMP_MOCK", "OFF_RAMP_TO_RTP", "OFF_RAMP_TO_BANK"],
  live: ["OFF_RAMP_TO_RTP", "OFF_RAMP_TO_BANK"],
} as const;

const DAY = 24 * 60 * 60;
const EXPIRY = { hour: DAY / 24, day: DAY, week: 7 * DAY, month: 30 * DAY };

export function CreatePage() {
  const t = useTexts(developers);
  const d = useTexts(dashboard);
  const isAllowed = useIsAllowed("write");
  const [made, setMade] = useState<Intent>();
  useTitle(t("create.title"));
  return (
    <>
      <h1>{t("create.title")}</h1>
      {made ? (
        <Ready intent={made} another={() => setMade(undefined)} />
      ) : isAllowed ? (
        <Form made={setMade} />
      ) : (
        <p className="soft">{d("role.readOnly")}</p>
      )}
    </>
  );
}

function Form({ made }: { made(intent: Intent): void }) {
  const t = useTexts(developers);
  const d = useTexts(dashboard);
  const { api, session, mode } = useSigned();
  const { error, busy, attempt } = useAttempt();
  const currencies = session.networks[mode]?.currencies.map(({ symbol }) => symbol) ?? [];
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? "").trim();
    const [description, returnUrl, days] = [text("description"), text("returnUrl"), text("days")];
    void attempt(async () => {
      const body: Body = {
        amount: text("amount"),
        currency: text("currency") as Body["currency"],
        type: "DELIVERY_VS_PAYMENT",
        settlementMethod: text("method") as Body["settlementMethod"],
        settlementDestination: text("destination"),
        metadata: { releaseType: text("release") },
        expiresIn: EXPIRY[text("expiry") as keyof typeof EXPIRY],
        ...(description ? { description } : {}),
        ...(days ? { deliveryPeriod: Number(days) * DAY } : {}),
        ...(returnUrl ? { returnUrl } : {}),
      };
      made(await api((gateway) => gateway.paymentIntents.create(body)));
    });
  };
  return (
    <form className="card stack form" aria-label={t("create.title")} onSubmit={submit}>
      <p className="soft">{t("create.text")}</p>
      <div className="pair">
        <Field name="amount" label={t("create.amount")} required />
        <Choice name="currency" label={t("create.currency")} options={currencies} any={false} />
      </div>
      <Field name="description" label={t("create.description")} />
      <div className="pair pair-even">
        <Choice
          name="release"
          label={t("create.release")}
          options={RELEASE}
          words={(one) => t(`release.${one as (typeof RELEASE)[number]}`)}
          any={false}
        />
        <Choice
          name="expiry"
          label={t("create.expiry")}
          options={Object.keys(EXPIRY)}
          value="week"
          words={(one) => t(`create.expiry.${one as keyof typeof EXPIRY}`)}
          any={false}
        />
      </div>
      <div className="pair pair-even">
        <Choice
          name="method"
          label={t("create.method")}
          options={METHODS[mode]}
          words={(one) => d(`method.${one as Body["settlementMethod"]}`)}
          any={false}
        />
        <Field name="destination" label={t("create.destination")} required />
      </div>
      <Field
        name="days"
        label={t("create.period")}
        type="number"
        min={1}
        max={365}
        hint={t("create.periodText")}
      />
      <Field name="returnUrl" label={t("create.returnUrl")} type="url" />
      <Problem error={error} />
      <Button type="submit" tone="main" busy={busy}>
        {t("create.submit")}
      </Button>
    </form>
  );
}

function Ready({ intent, another }: { intent: Intent; another(): void }) {
  const t = useTexts(developers);
  const locale = useLocale();
  const { id, data } = intent;
  return (
    <section className="card stack form" aria-label={t("create.done")}>
      <h2>{t("create.done")}</h2>
      <p className="amount">
        {showDecimal(data.amount, locale)} {data.currency}
      </p>
      {data.description && <p>{data.description}</p>}
      <code className="secret" data-testid="link">
        {data.paymentUrl}
      </code>
      <div className="row">
        <CopyButton value={data.paymentUrl} className="button button-main">
          {t("create.copy")}
        </CopyButton>
        <a className="button" href={data.paymentUrl} target="_blank" rel="noreferrer noopener">
          {t("create.preview")}
        </a>
        <Link to="/payments/$id" params={{ id }} className="button">
          {t("create.payment")}
        </Link>
        <Button tone="plain" onClick={another}>
          {t("create.another")}
        </Button>
      </div>
      <QrCode text={data.paymentUrl} label={t("create.qr")} />
      <p className="small soft">{t("create.expires", { time: showMoment(data.expiresAt, locale) })}</p>
    </section>
  );
}
