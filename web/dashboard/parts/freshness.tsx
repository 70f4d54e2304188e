// Shows whether the data is loaded and current. Loaded data stays visible when a later request fails.
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { showMoment } from "../../ui/format.ts";
import { Notice } from "../../ui/notice.tsx";
import { useLost } from "../live/live.tsx";
import { Problem } from "./problem.tsx";
import { dashboard } from "./texts.ts";

type Query = { data: unknown; error: Error | null; dataUpdatedAt: number };

/** Explains why data is missing or out of date. Renders nothing while the data is current. */
export function Freshness({ query: { data, error, dataUpdatedAt } }: { query: Query }) {
  const lostAt = useLost();
  if (!error) return null;
  if (data === undefined) return <Problem error={error} />;
  // While the stream is lost, LiveFreshness reports it once for the page.
  return lostAt === undefined ? <NotUpToDate since={dataUpdatedAt} /> : null;
}

/** A page-level notice that changes are not being received. */
export function LiveFreshness() {
  const lostAt = useLost();
  return lostAt === undefined ? null : <NotUpToDate since={lostAt} />;
}

/** @param since milliseconds since the epoch */
function NotUpToDate({ since }: { since: number }) {
  const t = useTexts(dashboard);
  const locale = useLocale();
  return (
    <div role="status">
      <Notice tone="warn">{t("stale", { time: showMoment(since / 1000, locale) })}</Notice>
    </div>
  );
}
