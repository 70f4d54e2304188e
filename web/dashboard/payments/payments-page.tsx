// The list of payments with a search field, filter chips that are stored in the URL, and keyboard navigation.
import { Link, useSearch } from "@tanstack/react-router";
import type { Query } from "#sdk/index.ts";
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { shortHex, showDecimal } from "../../ui/format.ts";
import { ExportCsv } from "../parts/export-csv.tsx";
import { ListTable, usePages } from "../parts/list.tsx";
import { Moment } from "../parts/moment.tsx";
import { hasFilters, omitCursors } from "../parts/search-params.ts";
import { dashboard } from "../parts/texts.ts";
import { useRowKeys } from "../parts/use-row-keys.ts";
import { useTitle } from "../parts/use-title.ts";
import { useIsAllowed } from "../session/session.tsx";
import { IntentTag } from "./intent-tag.tsx";
import { PaymentFilters } from "./payment-filters.tsx";
import type { PaymentsSearch } from "./payments-search-params.ts";

export function PaymentsPage() {
  const t = useTexts(dashboard);
  const search = useSearch({ from: "/payments" });
  const address = JSON.stringify(search);
  const canCreate = useIsAllowed("write");
  useTitle(t("payments.title"));
  useRowKeys();
  return (
    <>
      <div className="row spread">
        <h1>{t("payments.title")}</h1>
        <span className="row">
          <ExportCsv
            name="payments.csv"
            read={({ paymentIntents }) =>
              paymentIntents.exportCsv(omitCursors(search) as Query<"listPaymentIntents">)
            }
          />
          {canCreate && (
            <Link to="/payments/new" className="button button-main">
              {t("nav.create")}
            </Link>
          )}
        </span>
      </div>
      <PaymentFilters key={address} search={search} />
      <Payments key={`list ${address}`} search={search} />
      <p className="small soft keyboard-help">{t("payments.keys")}</p>
    </>
  );
}

/** Returns the merchant's name for the order, or a dash if there is none. */
const readOrderName = (metadata: Record<string, unknown> | null | undefined): string => {
  const { orderId, order } = metadata ?? {};
  const name = orderId ?? order;
  return typeof name === "string" || typeof name === "number" ? String(name) : "–";
};

function Payments({ search }: { search: PaymentsSearch }) {
  const t = useTexts(dashboard);
  const locale = useLocale();
  const pages = usePages(
    "payment-intents",
    ({ paymentIntents }, asked: Query<"listPaymentIntents">) => paymentIntents.list(asked),
    search,
  );
  return (
    <ListTable
      caption={t("payments.title")}
      empty={
        hasFilters(search) ? (
          t("payments.empty")
        ) : (
          <>
            {t("payments.none")} <Link to="/start">{t("payments.start")}</Link>
          </>
        )
      }
      pages={pages}
      columns={[
        {
          name: t("amount"),
          number: true,
          show: ({ id, data }) => (
            <Link to="/payments/$id" params={{ id }} className="number">
              {showDecimal(data.amount, locale)} {data.currency}
            </Link>
          ),
        },
        { name: t("status"), show: (intent) => <IntentTag intent={intent} /> },
        { name: t("order"), show: ({ data }) => readOrderName(data.metadata) },
        { name: t("description"), show: ({ data }) => data.description ?? "–" },
        { name: t("payer"), show: ({ data }) => <Payer address={data.signerAddress ?? data.payerAddress} /> },
        { name: t("created"), show: ({ created }) => <Moment at={created} /> },
      ]}
    />
  );
}

const Payer = ({ address }: { address: string | null }) =>
  address === null ? <>–</> : <code title={address}>{shortHex(address)}</code>;
