// Payments, with filters that stand in the address: it can be kept and sent.
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { INTENT_STATUSES, type IntentStatus } from "#core/intent/status.ts";
import type { Query } from "#sdk/index.ts";
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { showDecimal } from "../../ui/format.ts";
import { Choice, dayOf, Field, Filters } from "../parts/filters.tsx";
import { ListTable, usePages } from "../parts/list.tsx";
import { Moment } from "../parts/moment.tsx";
import { useTitle } from "../parts/use-title.ts";
import { useSigned } from "../session.tsx";
import { statuses } from "../status-texts.ts";
import { dashboard } from "../texts.ts";
import { IntentTag } from "./intent-tag.tsx";
import { type PaymentsSearch, showMetadata } from "./search.ts";

export function PaymentsPage() {
  const t = useTexts(dashboard);
  const search = useSearch({ from: "/payments" });
  const address = JSON.stringify(search);
  useTitle(t("payments.title"));
  return (
    <>
      <h1>{t("payments.title")}</h1>
      <PaymentFilters key={address} search={search} />
      <Payments key={`list ${address}`} search={search} />
    </>
  );
}

function Payments({ search }: { search: PaymentsSearch }) {
  const t = useTexts(dashboard);
  const locale = useLocale();
  const pages = usePages(
    "payment-intents",
    ({ paymentIntents }, asked: Query<"listPaymentIntents">) =>
      paymentIntents.list({ ...asked, expand: ["escrow"] }),
    search,
  );
  return (
    <ListTable
      caption={t("payments.title")}
      empty={t("payments.empty")}
      pages={pages}
      columns={[
        {
          name: t("amount"),
          show: ({ id, data }) => (
            <Link to="/payments/$id" params={{ id }} className="number">
              {showDecimal(data.amount, locale)} {data.currency}
            </Link>
          ),
        },
        {
          name: t("status"),
          show: (intent) => <IntentTag intent={intent} />,
        },
        { name: t("description"), show: ({ data }) => data.description ?? "–" },
        { name: t("created"), show: ({ created }) => <Moment at={created} /> },
      ]}
    />
  );
}

function PaymentFilters({ search }: { search: PaymentsSearch }) {
  const t = useTexts(dashboard);
  const s = useTexts(statuses);
  const { session, mode } = useSigned();
  const currencies = (session.networks[mode]?.currencies ?? []).map(({ symbol }) => symbol);
  const navigate = useNavigate();
  const { key, value } = showMetadata(search);
  return (
    <Filters
      label={t("payments.filter")}
      names={["status", "currency"]}
      more={(text) => (text("key") ? { [`metadata[${text("key")}]`]: text("value") } : {})}
      show={(search) => navigate({ to: "/payments", search })}
    >
      <Choice
        name="status"
        label={t("status")}
        options={INTENT_STATUSES}
        words={(status) => s(`intent.${status as IntentStatus}`)}
        value={search.status}
      />
      <Choice name="currency" label={t("currency")} options={currencies} value={search.currency} />
      <Field name="from" label={t("filter.from")} type="date" value={dayOf(search["created[gte]"])} />
      <Field name="to" label={t("filter.to")} type="date" value={dayOf(search["created[lte]"])} />
      <Metadata name={key} value={value} />
    </Filters>
  );
}

/** A value is asked for with its key: without one nothing would be found by it. */
function Metadata({ name, value }: { name: string; value: string }) {
  const t = useTexts(dashboard);
  const [hasValue, setHasValue] = useState(value !== "");
  return (
    <>
      <Field name="key" label={t("filter.metadataKey")} value={name} required={hasValue} />
      <Field
        name="value"
        label={t("filter.metadataValue")}
        value={value}
        onText={(text) => setHasValue(text.trim() !== "")}
      />
    </>
  );
}
