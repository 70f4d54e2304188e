// The filter form above a list.
import type { FormEvent, ReactNode } from "react";
import { useTexts } from "../../i18n/language.tsx";
import { dashboard } from "./texts.ts";

/**
 * @param names the fields that are written to the URL unchanged; the dates `from` and `to` are written in Unix seconds
 * @param show navigates to the list with these filters
 */
export function Filters({
  label,
  names,
  show,
  children,
}: {
  label: string;
  names: readonly string[];
  show(search: Record<string, string>): void;
  children: ReactNode;
}) {
  const t = useTexts(dashboard);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? "").trim();
    const search: Record<string, string> = {};
    for (const name of names) if (text(name)) search[name] = text(name);
    if (text("from")) search["created[gte]"] = String(secondsOfDay(text("from")));
    if (text("to")) search["created[lte]"] = String(beginOfDay(secondsOfDay(text("to")), 1) - 1);
    show(search);
  };
  return (
    <form className="card filters" aria-label={label} onSubmit={submit}>
      {children}
      <div className="row">
        <button type="submit" className="button button-main">
          {t("filter.apply")}
        </button>
        <button type="button" className="button button-plain" onClick={() => show({})}>
          {t("filter.clear")}
        </button>
      </div>
    </form>
  );
}

/** Returns the start of a day in the user's time zone, in Unix seconds. @param day such as 2026-01-31 */
export const secondsOfDay = (day: string): number => Math.floor(new Date(`${day}T00:00:00`).getTime() / 1000);

/**
 * Returns the start of the day of `at` in the user's time zone, or of the day `later` days after it. In Unix seconds.
 */
export function beginOfDay(at: number, later = 0): number {
  const date = new Date(at * 1000);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + later).getTime() / 1000;
}

/**
 * Returns the day of a moment in the user's time zone, in the format of date inputs.
 * @param seconds Unix seconds, as text
 */
export function formatDay(seconds: string | undefined): string {
  if (seconds === undefined || !/^\d+$/.test(seconds)) return "";
  const date = new Date(Number(seconds) * 1000);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
