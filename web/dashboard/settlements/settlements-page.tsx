// The settlements page: payouts by day, a list of settlements, and a CSV export.
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Query } from "#sdk/index.ts";
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { showDecimal } from "../../ui/format.ts";
import { ExportCsv } from "../parts/export-csv.tsx";
import { Choice, Field } from "../parts/field.tsx";
import { Filters, formatDay } from "../parts/filters.tsx";
import { ListTable, usePages } from "../parts/list.tsx";
import { Moment } from "../parts/moment.tsx";
import { hasFilters, omitCursors, type PageCursor } from "../parts/search-params.ts";
import { statusTexts } from "../parts/status-texts.ts";
import { StatusTag } from "../parts/tags.tsx";
import { dashboard } from "../parts/texts.ts";
import { useTitle } from "../parts/use-title.ts";
import { kinds } from "../session/session.tsx";
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
        <ExportCsv
          name="settlements.csv"
          read={({ settlements }) => settlements.exportCsv(omitCursors(search) as Query<"listSettlements">)}
        />
      </div>
      <ByDay />
      <SettlementFilters key={address} search={search} />
      <Settlements key={`list ${address}`} search={search} />
    </>
  );
}

type Search = PageCursor & { status?: string; "created[gte]"?: string; "created[lte]"?: string };

function SettlementFilters({ search }: { search: Search }) {
  const t = useTexts(dashboard);
  const s = useTexts(statusTexts);
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
      <Month search={search} />
      <Field name="from" label={t("filter.from")} type="date" value={formatDay(search["created[gte]"])} />
      <Field name="to" label={t("filter.to")} type="date" value={formatDay(search["created[lte]"])} />
    </Filters>
  );
}

/** Returns the last twelve months in the user's time zone, newest first. Times in Unix seconds. */
function lastMonths(): { gte: number; lte: number }[] {
  const now = new Date();
  const begin = (back: number) => new Date(now.getFullYear(), now.getMonth() - back, 1).getTime() / 1000;
  return Array.from({ length: 12 }, (_, back) => ({ gte: begin(back), lte: begin(back - 1) - 1 }));
}

/** Applies the selected month immediately, to both the list and the export. */
function Month({ search }: { search: Search }) {
  const t = useTexts(dashboard);
  const locale = useLocale();
  const navigate = useNavigate();
  const months = lastMonths();
  const name = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric" });
  const chosen = months.findIndex(
    ({ gte, lte }) => search["created[gte]"] === String(gte) && search["created[lte]"] === String(lte),
  );
  const choose = (index: string) => {
    const { "created[gte]": _from, "created[lte]": _to, ...others } = omitCursors(search);
    const month = months[Number(index)];
    const range = month && { "created[gte]": String(month.gte), "created[lte]": String(month.lte) };
    void navigate({ to: "/settlements", search: index === "" ? others : { ...others, ...range } });
  };
  return (
    <div className="field">
      <label htmlFor="field-month">{t("settlements.month")}</label>
      <select
        className="input"
        id="field-month"
        value={chosen < 0 ? "" : String(chosen)}
        onChange={({ target }) => choose(target.value)}
      >
        <option value="">{t("filter.any")}</option>
        {months.map(({ gte }, index) => (
          <option key={gte} value={index}>
            {name.format(gte * 1000)}
          </option>
        ))}
      </select>
    </div>
  );
}

function Settlements({ search }: { search: Search }) {
  const t = useTexts(dashboard);
  const s = useTexts(statusTexts);
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
      empty={t(hasFilters(search) ? "settlements.empty" : "settlements.none")}
      pages={pages}
      columns={[
        {
          name: t("amount"),
          number: true,
          show: ({ amount, currency, id }) => (
            <Link to="/settlements/$id" params={{ id }} className="number">
              {showDecimal(amount, locale)} {currency}
            </Link>
          ),
        },
        {
          name: t("status"),
          show: ({ status }) => <StatusTag status={status}>{s(`settlement.${status}`)}</StatusTag>,
        },
        { name: t("settlements.method"), show: ({ method }) => t(`method.${method}`) },
        { name: t("settlements.destination"), show: ({ destination }) => destination },
        { name: t("created"), show: ({ created }) => <Moment at={created} /> },
        { name: t("settlements.completed"), show: ({ completed }) => <Moment at={completed} /> },
      ]}
    />
  );
}
