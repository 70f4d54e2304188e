// A date and time in the format of the user's locale.
import { useLocale } from "../../i18n/language.tsx";
import { showMoment } from "../../ui/format.ts";

/** @param at Unix seconds */
export function Moment({ at }: { at: number | null }) {
  const locale = useLocale();
  if (at === null) return <>–</>;
  return <time dateTime={new Date(at * 1000).toISOString()}>{showMoment(at, locale)}</time>;
}
