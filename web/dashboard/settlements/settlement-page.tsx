// One settlement: the amount that left the escrow, its status at the provider, and the amount that reached the bank.
import { Link, useParams } from "@tanstack/react-router";
import type { Schemas } from "#sdk/index.ts";
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { showDecimal } from "../../ui/format.ts";
import { HexValue } from "../../ui/hex.tsx";
import { Loading } from "../../ui/skeleton.tsx";
import { Fact } from "../parts/fact.tsx";
import { Freshness } from "../parts/freshness.tsx";
import { Moment } from "../parts/moment.tsx";
import { statusTexts } from "../parts/status-texts.ts";
import { StatusTag } from "../parts/tags.tsx";
import { dashboard } from "../parts/texts.ts";
import { useTitle } from "../parts/use-title.ts";
import { Card } from "../payments/card.tsx";
import { useTransactionLink } from "../payments/use-transaction-link.ts";
import { kinds, useApi } from "../session/session.tsx";

export function SettlementPage() {
  const t = useTexts(dashboard);
  const { id } = useParams({ from: "/settlements/$id" });
  const query = useApi(`settlement ${id}`, ({ settlements }) => settlements.retrieve(id), kinds("payout"));
  useTitle(t("settlement.title"));
  return (
    <>
      <p>
        <Link to="/settlements">← {t("settlement.all")}</Link>
      </p>
      <Freshness query={query} />
      {query.data ? <Settlement settlement={query.data} /> : query.isPending && <Loading lines={6} />}
    </>
  );
}

function Settlement({ settlement }: { settlement: Schemas["Settlement"] }) {
  const t = useTexts(dashboard);
  const s = useTexts(statusTexts);
  const locale = useLocale();
  const link = useTransactionLink();
  const { status, currency, deliveredAmount, deliveredCurrency, failure } = settlement;
  return (
    <>
      <h1 className="row">
        <span className="hidden">{t("settlement.title")}</span>
        <span className="amount number">
          {showDecimal(settlement.amount, locale)} {currency}
        </span>
        <StatusTag status={status}>{s(`settlement.${status}`)}</StatusTag>
      </h1>
      <Card title={t("settlement.provider")}>
        <dl className="facts">
          <Fact name={t("status")}>{s(`settlement.${status}`)}</Fact>
          {failure !== null && (
            <Fact name={t("settlement.failure")}>
              <span className="bad">{failure}</span>
            </Fact>
          )}
          <Fact name={t("settlements.destination")}>{settlement.destination}</Fact>
          <Fact name={t("settlement.fee")}>
            {showDecimal(settlement.fee, locale)} {currency}
          </Fact>
          {settlement.rate !== null && <Fact name={t("settlement.rate")}>{settlement.rate}</Fact>}
          {deliveredAmount !== null && (
            <Fact name={t("settlement.arrived")}>
              {showDecimal(deliveredAmount, locale)} {deliveredCurrency}
            </Fact>
          )}
          <Fact name={t("created")}>
            <Moment at={settlement.created} />
          </Fact>
          <Fact name={t("settlements.completed")}>
            <Moment at={settlement.completed} />
          </Fact>
          <Fact name={t("settlement.attempt")}>{settlement.attempt}</Fact>
          <Fact name={t("settlements.reference")}>
            <HexValue value={settlement.reference} />
          </Fact>
          <Fact name={t("payment.transaction")}>
            <HexValue value={settlement.transactionHash} href={link(settlement.transactionHash)} />
          </Fact>
          {settlement.settledExternally && <Fact name={t("settlement.external")}>{t("settlement.yes")}</Fact>}
          <Fact name={t("payment")}>
            <Link to="/payments/$id" params={{ id: settlement.paymentIntentId }}>
              {t("settlement.payment")}
            </Link>
          </Fact>
        </dl>
      </Card>
    </>
  );
}
