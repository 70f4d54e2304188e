// A payment's events and their deliveries to each webhook endpoint.
import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTexts } from "../../i18n/language.tsx";
import { Loading } from "../../ui/skeleton.tsx";
import { useActionWords } from "../parts/action-texts.ts";
import { Freshness } from "../parts/freshness.tsx";
import { Moment } from "../parts/moment.tsx";
import { statusTexts } from "../parts/status-texts.ts";
import { StatusTag } from "../parts/tags.tsx";
import { dashboard } from "../parts/texts.ts";
import { kinds, useApi, useSigned } from "../session/session.tsx";
import { Card } from "./card.tsx";

/** Maximum number of endpoints whose delivery log is loaded. Few merchants have more. */
const ENDPOINTS = 5;

export function Deliveries({ intentId }: { intentId: string }) {
  const t = useTexts(dashboard);
  const s = useTexts(statusTexts);
  const words = useActionWords();
  const { api, mode } = useSigned();
  const endpoints = useApi(
    "first webhook endpoints",
    ({ webhookEndpoints }) => webhookEndpoints.list({ limit: ENDPOINTS }),
    kinds("webhook_endpoint"),
  );
  const logs = useQueries({
    queries: (endpoints.data?.data ?? []).map(({ id, url }) => ({
      queryKey: [mode, `deliveries of ${intentId} to ${id}`],
      queryFn: async () => {
        const filter = { paymentIntentId: intentId, limit: 50 };
        const { data } = await api((gateway) => gateway.webhookEndpoints.listDeliveries(id, filter));
        return data.map((delivery) => ({ ...delivery, url }));
      },
      meta: { of: [intentId] },
    })),
  });
  const deliveries = logs.flatMap(({ data }) => data ?? []);
  const failed = [endpoints, ...logs].find(({ error }) => error !== null);
  const isPending = !failed && [endpoints, ...logs].some((query) => query.isPending);
  const isEmpty = endpoints.data !== undefined && logs.every(({ data }) => data?.length === 0);
  return (
    <Card title={t("payment.webhooks")}>
      {failed && <Freshness query={failed} />}
      {isPending && <Loading lines={1} />}
      {isEmpty && <p className="soft">{t("payment.none")}</p>}
      <ul className="timeline">
        {deliveries.map(({ id, eventType, status, created, url, webhookEndpointId }) => (
          <li key={id}>
            <span className="row">
              <strong>{words(eventType)}</strong>
              <StatusTag status={status}>{s(`webhookDelivery.${status}`)}</StatusTag>
            </span>
            <code className="small soft">{eventType}</code>
            <span className="small soft">
              <Link to="/webhooks/$id" params={{ id: webhookEndpointId }}>
                {new URL(url).host}
              </Link>
              , <Moment at={created} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
