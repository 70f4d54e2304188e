// The search field and the filter chips above the list of payments. A filter applies as soon as it is changed, and the
// search when it is submitted.
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useId } from "react";
import { MERCHANT_STATUSES, type MerchantStatus } from "#core/model/merchant-status.ts";
import { useTexts } from "../../i18n/language.tsx";
import { Icon } from "../../ui/icons.tsx";
import { ChipChoice } from "../parts/chip-choice.tsx";
import { beginOfDay, formatDay, secondsOfDay } from "../parts/filters.tsx";
import { omitCursors } from "../parts/search-params.ts";
import { dashboard } from "../parts/texts.ts";
import { useSigned } from "../session/session.tsx";
import { merchantStatuses } from "./merchant-status-texts.ts";
import { type PaymentsSearch, showMetadata } from "./payments-search-params.ts";

type Filter = Exclude<keyof PaymentsSearch, "starting_after" | "ending_before">;

export function PaymentFilters({ search }: { search: PaymentsSearch }) {
  const t = useTexts(dashboard);
  const words = useTexts(merchantStatuses);
  const { session, mode } = useSigned();
  const navigate = useNavigate();
  const filters = omitCursors(search);
  /** An empty value removes the filter. */
  const set = (name: Filter, value: string) => {
    const { [name]: _, ...others } = filters;
    void navigate({ to: "/payments", search: value === "" ? others : { ...others, [name]: value } });
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    set("query", String(new FormData(event.currentTarget).get("query") ?? "").trim());
  };
  const { key, value } = showMetadata(search);
  const setDay = (name: Filter, day: string, seconds: () => number) => set(name, day && String(seconds()));
  return (
    <search className="stack-tight" aria-label={t("payments.filter")}>
      <form className="search-box" onSubmit={submit}>
        <label className="hidden" htmlFor="search">
          {t("payments.search")}
        </label>
        <input
          className="input"
          id="search"
          name="query"
          type="search"
          maxLength={200}
          autoComplete="off"
          placeholder={t("payments.searchFor")}
          defaultValue={search.query}
        />
        <button type="submit" className="button">
          {t("payments.find")}
        </button>
      </form>
      <div className="row chips">
        <ChipChoice
          label={t("status")}
          options={MERCHANT_STATUSES}
          words={(status) => words(status as MerchantStatus)}
          value={search.merchantStatus}
          choose={(status) => set("merchantStatus", status)}
        />
        <ChipChoice
          label={t("currency")}
          options={(session.networks[mode]?.currencies ?? []).map(({ symbol }) => symbol)}
          value={search.currency}
          choose={(currency) => set("currency", currency)}
        />
        <ChipDay
          label={t("filter.from")}
          day={formatDay(search["created[gte]"])}
          choose={(day) => setDay("created[gte]", day, () => secondsOfDay(day))}
        />
        <ChipDay
          label={t("filter.to")}
          day={formatDay(search["created[lte]"])}
          choose={(day) => setDay("created[lte]", day, () => beginOfDay(secondsOfDay(day), 1) - 1)}
        />
        {key && (
          <Chip
            text={`${key}: ${value}`}
            label={t("filter.remove", { filter: key })}
            remove={() => set(`metadata[${key}]`, "")}
          />
        )}
        {Object.keys(filters).length > 0 && (
          <button
            type="button"
            className="button button-plain button-small"
            onClick={() => navigate({ to: "/payments", search: {} })}
          >
            {t("filter.clear")}
          </button>
        )}
      </div>
    </search>
  );
}

function ChipDay({ label, day, choose }: { label: string; day: string; choose(day: string): void }) {
  const id = useId();
  return (
    <span className={`chip ${day === "" ? "" : "chip-on"}`}>
      <label htmlFor={id}>{label}</label>
      {/* While a year is being typed (0002, 0020, …), the date is below `min`, and therefore invalid. */}
      <input
        id={id}
        type="date"
        min="2020-01-01"
        defaultValue={day}
        onChange={({ target }) => target.validity.valid && choose(target.value)}
      />
    </span>
  );
}

function Chip({ text, label, remove }: { text: string; label: string; remove(): void }) {
  return (
    <button type="button" className="chip chip-on" aria-label={label} onClick={remove}>
      {text} <Icon name="cross" />
    </button>
  );
}
