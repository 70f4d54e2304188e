// Settlements: what was paid out, by day and one by one, and as CSV.
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Query } from "#sdk/index.ts";
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { showDecimal } from "../../ui/format.ts";
import { Choice, dayOf, Field, Filters } from "../parts/filters.tsx";
import { ListTable, usePages } from "../parts/list.tsx";
import { Moment } from "../parts/moment.tsx";
import { Problem } from "../parts/problem.tsx";
import { StatusTag } from "../parts/tags.tsx";
import { useTitle } from "../parts/use-title.ts";
import { type Cursors, withoutCursors } from "../search.ts";
import { kinds, useSigned } from "../session.tsx";
import { statuses } from "../status-texts.ts";
import { dashboard } from "../texts.ts";
import { ByDay } from "./by-day.tsx";

const STATUSES = ["created", "submitted", "completed", "failed", "returned", "quarantined"] as const;

export function SettlementsPage() {
  const t = useTexts(dashboard);
  const search = useSearch({ from: "/settlements" });
  const address = JSON.stringify(search);
  useTitle(t("settlements.title"));
  return (
    <>
      <div className="row spread">
        <h1>{t("settlements.title")}</h1>
        <Export search={search} />
      </div>
      <ByDay />
      <SettlementFilters key={address} search={search} />
      <Settlements key={`list ${address}`} search={search} />
    </>
  );
}

type Search = Cursors & { status?: string; "created[gte]"?: string; "created[lte]"?: string };

function Export({ search }: { search: Search }) {
  const t = useTexts(dashboard);
  const { api } = useSigned();
  const [error, setError] = useState<Error | null>(null);
  const save = async () => {
    try {
      const url = URL.createObjectURL(
        await api(({ settlements }) =>
          settlements.exportCsv(withoutCursors(search) as Query<"listSettlements">).then((csv) => csv.blob()),
        ),
      );
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

function SettlementFilters({ search }: { search: Search }) {
  const t = useTexts(dashboard);
  const s = useTexts(statuses);
  const navigate = useNavigate();
  return (
    <Filters
      label={t("settlements.filter")}
      names={["status"]}
      show={(search) => navigate({ to: "/settlements", search })}
    >
      <Choice
        name="status"
        label={t("status")}
        options={STATUSES}
        value={search.status}
        words={(one) => s(`settlement.${one as (typeof STATUSES)[number]}`)}
      />
      <Field name="from" label={t("filter.from")} type="date" value={dayOf(search["created[gte]"])} />
      <Field name="to" label={t("filter.to")} type="date" value={dayOf(search["created[lte]"])} />
    </Filters>
  );
}

function Settlements({ search }: { search: Search }) {
  const t = useTexts(dashboard);
  const s = useTexts(statuses);
  const locale = useLocale();
  const pages = usePages(
    "settlements",
    ({ settlements }, asked: Query<"listSettlements">) => settlements.list(asked),
    search,
    kinds("payout"),
  );
  return (
    <ListTable
      caption={t("settlements.title")}
      empty={t("settlements.empty")}
      pages={pages}
      columns={[
        {
          name: t("amount"),
          show: ({ amount, currency, paymentIntentId }) => (
            <Link to="/payments/$id" params={{ id: paymentIntentId }} className="number">
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
