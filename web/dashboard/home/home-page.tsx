// The home page: where the money is, what needs attention, and the newest payments. It is updated live.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { showDecimal, showMoment } from "../../ui/format.ts";
import { Icon, type IconName } from "../../ui/icons.tsx";
import { Loading } from "../../ui/skeleton.tsx";
import { Freshness } from "../parts/freshness.tsx";
import { Table } from "../parts/list.tsx";
import { Moment } from "../parts/moment.tsx";
import { dashboard } from "../parts/texts.ts";
import { useTitle } from "../parts/use-title.ts";
import { Card } from "../payments/card.tsx";
import { IntentTag } from "../payments/intent-tag.tsx";
import { kinds, useApi } from "../session/session.tsx";
import { home } from "./texts.ts";
import { type Home, useHome } from "./use-home.ts";

const RECENT = 5;

export function HomePage() {
  const t = useTexts(home);
  const query = useHome();
  useTitle(t("title"));
  return (
    <>
      <h1>{t("title")}</h1>
      <Freshness query={query} />
      {query.data ? (
        <>
          <Balance balance={query.data.balance} />
          <Attention attention={query.data.attention} />
        </>
      ) : (
        query.isPending && <Loading lines={6} />
      )}
      <Recent />
    </>
  );
}

const PLACES = ["inEscrow", "released", "inTransit", "paid"] as const;

function Balance({ balance }: Pick<Home, "balance">) {
  const t = useTexts(home);
  const locale = useLocale();
  const hasSome = (one: Home["balance"][number]) => PLACES.some((place) => /[1-9]/.test(one[place]));
  const used = balance.filter(hasSome);
  return (
    <section className="stack" aria-label={t("balance")}>
      {(used.length > 0 ? used : balance.slice(0, 1)).map((one) => (
        <dl key={one.currency} className="card places">
          {PLACES.map((place) => (
            <div key={place}>
              <dt>{t(`balance.${place}`)}</dt>
              <dd className="number">
                {showDecimal(one[place], locale)} <span className="soft">{one.currency}</span>
              </dd>
            </div>
          ))}
        </dl>
      ))}
    </section>
  );
}

function Attention({ attention }: Pick<Home, "attention">) {
  const t = useTexts(home);
  const locale = useLocale();
  const { disputes, failures, reclaims, endpoints } = attention;
  const isEmpty = [disputes, failures, reclaims, endpoints].every((list) => list.length === 0);
  const name = ({ amount, currency, description }: Omit<Home["attention"]["disputes"][number], "due">) =>
    `${showDecimal(amount, locale)} ${currency}${description === null ? "" : `, ${description}`}`;
  const payment = (id: string, words: string) => (
    <Link to="/payments/$id" params={{ id }}>
      {words}
    </Link>
  );
  return (
    <Card title={t("attention")}>
      {isEmpty && <p className="soft">{t("attention.none")}</p>}
      <ul className="attention">
        {disputes.map((one) => (
          <Item key={`dispute ${one.id}`} icon="warning" title={payment(one.id, name(one))}>
            {t("attention.dispute", { time: showMoment(one.due, locale) })}
          </Item>
        ))}
        {failures.map((one) => (
          <Item key={`failure ${one.id}`} icon="cross" title={payment(one.id, name(one))}>
            {one.failure === null ? t("attention.payment") : t("attention.payout", { failure: one.failure })}
          </Item>
        ))}
        {reclaims.map((one) => (
          <Item key={`reclaim ${one.id}`} icon="clock" title={payment(one.id, name(one))}>
            {t("attention.reclaim", { time: showMoment(one.due, locale) })}
          </Item>
        ))}
        {endpoints.map(({ id, url, disabled }) => (
          <Item
            key={`endpoint ${id}`}
            icon="link"
            title={
              <Link to="/webhooks/$id" params={{ id }}>
                {new URL(url).host}
              </Link>
            }
          >
            {t(disabled ? "attention.endpointGone" : "attention.endpoint")}
          </Item>
        ))}
      </ul>
    </Card>
  );
}

function Item({ icon, title, children }: { icon: IconName; title: ReactNode; children: string }) {
  return (
    <li>
      <Icon name={icon} />
      <span className="stack-tight">
        <strong>{title}</strong>
        <span className="small">{children}</span>
      </span>
    </li>
  );
}

function Recent() {
  const t = useTexts(home);
  const d = useTexts(dashboard);
  const locale = useLocale();
  const query = useApi(
    `newest ${RECENT} payments`,
    ({ paymentIntents }) => paymentIntents.list({ limit: RECENT }),
    kinds("payment_intent", "conditional_payment", "dispute", "payout"),
  );
  const rows = query.data?.data;
  return (
    <section className="stack" aria-label={t("recent")}>
      <div className="row spread">
        <h2>{t("recent")}</h2>
        <Link to="/payments">{t("recent.all")}</Link>
      </div>
      <Freshness query={query} />
      {query.isPending && <Loading lines={RECENT} />}
      {rows?.length === 0 && (
        <p className="card soft empty">
          {d("payments.none")} <Link to="/start">{d("payments.start")}</Link>
        </p>
      )}
      {rows && rows.length > 0 && (
        <Table
          caption={t("recent")}
          rows={rows}
          columns={[
            {
              name: d("amount"),
              number: true,
              show: ({ id, data }) => (
                <Link to="/payments/$id" params={{ id }} className="number">
                  {showDecimal(data.amount, locale)} {data.currency}
                </Link>
              ),
            },
            {
              name: d("status"),
              show: (intent) => <IntentTag intent={intent} />,
            },
            { name: d("description"), show: ({ data }) => data.description ?? "–" },
            { name: d("created"), show: ({ created }) => <Moment at={created} /> },
          ]}
        />
      )}
    </section>
  );
}
