// The webhooks that told of a payment: its events, and what came of them at each endpoint.
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "#core/client/client.ts";
import { useTexts } from "../../i18n/language.tsx";
import type { List } from "../parts/list.tsx";
import { Moment } from "../parts/moment.tsx";
import { StatusTag } from "../parts/tags.tsx";
import { Link } from "../router.tsx";
import { useApi, useSigned } from "../session.tsx";
import { Problem } from "../shell.tsx";
import { statuses } from "../status-texts.ts";
import { dashboard } from "../texts.ts";
import { Card } from "./payment-page.tsx";

/** Of so many endpoints the log is asked for; few merchants have more. */
const ENDPOINTS = 5;

export function Deliveries({ intentId }: { intentId: string }) {
  const t = useTexts(dashboard);
  const s = useTexts(statuses);
  const { api, mode } = useSigned();
  const endpoints = useApi<List<Schemas["WebhookEndpoint"]>>(`/webhook-endpoints?limit=${ENDPOINTS}`);
  const { data, error } = useQuery({
    queryKey: [mode, "deliveries", intentId, endpoints.data?.data.map(({ id }) => id)],
    queryFn: async () => {
      const asked = (endpoints.data?.data ?? []).map(async ({ id, url }) => {
        const path = `/webhook-endpoints/${id}/deliveries?paymentIntentId=${intentId}&limit=50`;
        const { data: deliveries } = await api<List<Schemas["WebhookDelivery"]>>(path);
        return deliveries.map((delivery) => ({ ...delivery, url }));
      });
      return (await Promise.all(asked)).flat();
    },
    enabled: endpoints.data !== undefined,
    refetchInterval: 5_000,
  });
  return (
    <Card title={t("payment.webhooks")}>
      <Problem error={endpoints.error ?? error} />
      {data?.length === 0 && <p className="soft">{t("payment.none")}</p>}
      <ul className="timeline">
        {data?.map(({ id, event_type, status, created, url, webhook_endpoint }) => (
          <li key={id}>
            <span className="row">
              <strong>{event_type}</strong>
              <StatusTag status={status}>{s(`delivery.${status}`)}</StatusTag>
            </span>
            <span className="small soft">
              <Link to={`/webhooks/${webhook_endpoint}`}>{new URL(url).host}</Link>, <Moment at={created} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
