// Payouts per day over the last 30 days, as bars and as an equivalent table.
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { type Currency, formatAmount, parseAmount } from "#core/money.ts";
import type { Gateway, Schemas } from "#sdk/index.ts";
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { showDecimal } from "../../ui/format.ts";
import { beginOfDay, formatDay } from "../parts/filters.tsx";
import { Freshness } from "../parts/freshness.tsx";
import { Table } from "../parts/list.tsx";
import { dashboard } from "../parts/texts.ts";
import { kinds, useSigned } from "../session/session.tsx";
import { Bars } from "./bars.tsx";

const DAYS = 30;
/** Maximum number of settlements in the chart. The CSV export contains older data. */
const MOST = 2_000;

type Settlement = Schemas["Settlement"];

async function completedSince({ settlements }: Gateway, since: number): Promise<Settlement[]> {
  const all: Settlement[] = [];
  for await (const settlement of settlements.list({ status: "completed", created: { gte: since } })) {
    all.push(settlement);
    if (all.length === MOST) break;
  }
  return all;
}

/** Returns the exact sum of each day, in the smallest unit. */
function sumsByDay(settlements: Settlement[], currency: Currency): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { amount, currency: its, completed, created } of settlements) {
    const units = its === currency ? parseAmount(amount, currency) : undefined;
    if (typeof units !== "bigint") continue;
    const day = formatDay(String(completed ?? created));
    sums.set(day, (sums.get(day) ?? 0n) + units);
  }
  return sums;
}

export function ByDay() {
  const { api, mode } = useSigned();
  const since = beginOfDay(Date.now() / 1000, 1 - DAYS);
  const query = useQuery({
    queryKey: [mode, "settlements by day", since],
    queryFn: () => api((gateway) => completedSince(gateway, since)),
    meta: { of: kinds("payout") },
  });
  const { data } = query;
  const currencies = useMemo(() => [...new Set(data?.map(({ currency }) => currency))], [data]);
  return (
    <>
      <Freshness query={query} />
      {data && data.length > 0 && <Chart currencies={currencies} since={since} settlements={data} />}
    </>
  );
}

type Props = { currencies: Currency[]; since: number; settlements: Settlement[] };

/** One chart, for the currency whose total is selected. */
function Chart({ currencies, since, settlements }: Props) {
  const [chosen, setChosen] = useState<Currency>();
  const currency = chosen !== undefined && currencies.includes(chosen) ? chosen : (currencies[0] as Currency);
  const t = useTexts(dashboard);
  const locale = useLocale();
  const [asTable, setAsTable] = useState(false);
  const days = useMemo(() => {
    const sums = sumsByDay(settlements, currency);
    return Array.from({ length: DAYS }, (_, index) => {
      const at = beginOfDay(since, index);
      const id = formatDay(String(at));
      return { id, at, amount: formatAmount(sums.get(id) ?? 0n, currency) };
    });
  }, [settlements, currency, since]);
  const totals = useMemo(
    () =>
      currencies.map((one) => {
        const sum = [...sumsByDay(settlements, one).values()].reduce((total, units) => total + units, 0n);
        return { currency: one, total: formatAmount(sum, one) };
      }),
    [settlements, currencies],
  );
  const title = t("settlements.chart", { currency });
  const day = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
  return (
    <section className="card stack" aria-label={title}>
      <div className="row spread">
        <h2>{title}</h2>
        <button
          type="button"
          className="button button-small"
          aria-pressed={asTable}
          onClick={() => setAsTable(!asTable)}
        >
          {t("settlements.asTable")}
        </button>
      </div>
      <fieldset className="row totals" aria-label={t("settlements.total")}>
        {totals.map(({ currency: one, total }) => (
          <button
            key={one}
            type="button"
            className="total"
            aria-pressed={one === currency}
            onClick={() => setChosen(one)}
          >
            <span className="small soft">{t("settlements.total")}</span>
            <strong className="number">
              {showDecimal(total, locale)} {one}
            </strong>
          </button>
        ))}
      </fieldset>
      {asTable ? (
        <Table
          caption={title}
          rows={days.filter(({ amount }) => Number(amount) > 0)}
          columns={[
            { name: t("settlements.day"), show: ({ at }) => day.format(at * 1000) },
            { name: t("amount"), show: ({ amount }) => showDecimal(amount, locale), number: true },
          ]}
        />
      ) : (
        <Bars days={days} label={`${title}. ${t("settlements.chartText")}`} />
      )}
    </section>
  );
}
