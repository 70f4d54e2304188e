// A payment's history from its audit log: who did what, and the result.
import { useTexts } from "../../i18n/language.tsx";
import { Loading } from "../../ui/skeleton.tsx";
import { useActionWords } from "../parts/action-texts.ts";
import { Freshness } from "../parts/freshness.tsx";
import { Moment } from "../parts/moment.tsx";
import { dashboard } from "../parts/texts.ts";
import { useChange } from "../parts/use-change.ts";
import { Card } from "./card.tsx";
import type { usePayment } from "./use-payment.ts";

export function Timeline({ log }: Pick<ReturnType<typeof usePayment>, "log">) {
  const t = useTexts(dashboard);
  const change = useChange();
  const words = useActionWords();
  return (
    <Card title={t("payment.timeline")}>
      <Freshness query={log} />
      {log.isPending && <Loading lines={3} />}
      <ol className="timeline">
        {log.data?.data.map(({ id, action, actor, from, to, created }) => (
          <li key={id}>
            <strong title={action}>{words(action)}</strong>
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
