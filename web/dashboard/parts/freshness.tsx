// Whether a query's data is there and current. What was read stays when a later request fails.
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { showMoment } from "../../ui/format.ts";
import { Notice } from "../../ui/notice.tsx";
import { Problem } from "../shell.tsx";
import { dashboard } from "../texts.ts";

type Query = { data: unknown; error: Error | null; dataUpdatedAt: number };

/** Why there is no data, or that it is old; nothing while it is current. */
export function Freshness({ query: { data, error, dataUpdatedAt } }: { query: Query }) {
  const t = useTexts(dashboard);
  const locale = useLocale();
  if (!error) return null;
  if (data === undefined) return <Problem error={error} />;
  return (
    <div role="status">
      <Notice tone="warn">{t("stale", { time: showMoment(dataUpdatedAt / 1000, locale) })}</Notice>
    </div>
  );
}
