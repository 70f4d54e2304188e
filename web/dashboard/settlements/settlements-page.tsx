// Settlements: what was paid out, by day and one by one, and as CSV.
import { useState } from "react";
import type { Schemas } from "#sdk/index.ts";
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { showDecimal } from "../../ui/format.ts";
import { Choice, dayOf, Field, Filters } from "../parts/filters.tsx";
import { ListTable, usePages } from "../parts/list.tsx";
import { Moment } from "../parts/moment.tsx";
import { StatusTag } from "../parts/tags.tsx";
import { Link, useAddress, useTitle } from "../router.tsx";
import { useSigned } from "../session.tsx";
import { Problem } from "../shell.tsx";
import { statuses } from "../status-texts.ts";
import { dashboard } from "../texts.ts";
import { ByDay } from "./by-day.tsx";

type Settlement = Schemas["Settlement"];

const STATUSES = ["created", "submitted", "completed", "failed", "returned", "quarantined"] as const;

export default function SettlementsPage() {
  const t = useTexts(dashboard);
  const { query } = useAddress();
  useTitle(t("settlements.title"));
  return (
    <>
      <div className="row spread">
        <h1>{t("settlements.title")}</h1>
        <Export query={query} />
      </div>
      <ByDay />
      <SettlementFilters key={String(query)} query={query} />
      <Settlements key={`list ${query}`} query={query} />
    </>
  );
}

function Export({ query }: { query: URLSearchParams }) {
  const t = useTexts(dashboard);
  const { download } = useSigned();
  const [error, setError] = useState<Error | null>(null);
  const save = async () => {
    try {
      const url = URL.createObjectURL(await download(`/settlements?${query}`));
      const link = Object.assign(document.createElement("a"), { href: url, download: "settlements.csv" });
      link.click();
      URL.revokeObjectURL(url);
      setError(null);
    } catch (problem) {
      setError(problem as Error);
    }
  };
  return (
    <div className="stack-tight">
      <button type="button" className="button" onClick={save}>
        {t("settlements.export")}
      </button>
      <Problem error={error} />
    </div>
  );
}

function SettlementFilters({ query }: { query: URLSearchParams }) {
  const t = useTexts(dashboard);
  const s = useTexts(statuses);
  return (
    <Filters label={t("settlements.filter")} path="/settlements" names={["status"]}>
      <Choice
        name="status"
        label={t("status")}
        options={STATUSES}
        value={query.get("status")}
        words={(one) => s(`settlement.${one as (typeof STATUSES)[number]}`)}
      />
      <Field name="from" label={t("filter.from")} type="date" value={dayOf(query.get("created[gte]"))} />
      <Field name="to" label={t("filter.to")} type="date" value={dayOf(query.get("created[lte]"))} />
    </Filters>
  );
}

function Settlements({ query }: { query: URLSearchParams }) {
  const t = useTexts(dashboard);
  const s = useTexts(statuses);
  const locale = useLocale();
  const pages = usePages<Settlement>("/settlements", query);
  return (
    <ListTable
      caption={t("settlements.title")}
      empty={t("settlements.empty")}
      pages={pages}
      columns={[
        {
          name: t("amount"),
          show: ({ amount, currency, paymentIntentId }) => (
            <Link to={`/payments/${paymentIntentId}`} className="number">
              {showDecimal(amount, locale)} {currency}
            </Link>
          ),
        },
        {
          name: t("status"),
          show: ({ status }) => <StatusTag status={status}>{s(`settlement.${status}`)}</StatusTag>,
        },
        { name: t("settlements.method"), show: ({ method }) => method },
        { name: t("settlements.destination"), show: ({ destination }) => destination },
        { name: t("created"), show: ({ created }) => <Moment at={created} /> },
        { name: t("settlements.completed"), show: ({ completed }) => <Moment at={completed} /> },
      ]}
    />
  );
}
