// Whether what is shown is there and current. What was read stays when a later request fails.
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { showMoment } from "../../ui/format.ts";
import { Notice } from "../../ui/notice.tsx";
import { useLost } from "../live/live.tsx";
import { dashboard } from "../texts.ts";
import { Problem } from "./problem.tsx";

type Query = { data: unknown; error: Error | null; dataUpdatedAt: number };

/** Why there is no data, or that it is old; nothing while it is current. */
export function Freshness({ query: { data, error, dataUpdatedAt } }: { query: Query }) {
  const lostAt = useLost();
  if (!error) return null;
  if (data === undefined) return <Problem error={error} />;
  // Then the page says so once.
  return lostAt === undefined ? <NotUpToDate since={dataUpdatedAt} /> : null;
}

/** For the page: nobody reports what changes. */
export function LiveFreshness() {
  const lostAt = useLost();
  return lostAt === undefined ? null : <NotUpToDate since={lostAt} />;
}

/** @param since milliseconds */
function NotUpToDate({ since }: { since: number }) {
  const t = useTexts(dashboard);
  const locale = useLocale();
  return (
    <div role="status">
      <Notice tone="warn">{t("stale", { time: showMoment(since / 1000, locale) })}</Notice>
    </div>
  );
}
