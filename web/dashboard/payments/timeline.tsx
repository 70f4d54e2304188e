// What happened to a payment, as its audit log tells it: who did what, and what became of it.
import type { Schemas } from "#core/client/client.ts";
import { useTexts } from "../../i18n/language.tsx";
import type { List } from "../parts/list.tsx";
import { Moment } from "../parts/moment.tsx";
import { useChange } from "../parts/use-change.ts";
import { useApi } from "../session.tsx";
import { Problem } from "../shell.tsx";
import { dashboard } from "../texts.ts";
import { Card } from "./payment-page.tsx";

export function Timeline({ intentId }: { intentId: string }) {
  const t = useTexts(dashboard);
  const change = useChange();
  const path = `/audit-logs?paymentIntentId=${intentId}&limit=100`;
  const { data, error } = useApi<List<Schemas["AuditLog"]>>(path, { everyMs: 3_000 });
  return (
    <Card title={t("payment.timeline")}>
      <Problem error={error} />
      <ol className="timeline">
        {data?.data.map(({ id, action, actor, from, to, created }) => (
          <li key={id}>
            <strong>{action}</strong>
            <span className="small">
              {t(`actor.${actor.type}`)}
              {to !== null && <> · {change(from, to)}</>}
            </span>
            <span className="small soft">
              <Moment at={created} />
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}
