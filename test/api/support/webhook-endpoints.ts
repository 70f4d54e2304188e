// The steps of a merchant who sets up webhooks.
import { expect } from "chai";
import { until } from "#scripts/shared/wait.ts";
import type { Client } from "./client.ts";

export type Endpoint = {
  id: string;
  object: string;
  url: string;
  status: string;
  disabledReason: string | null;
  enabledEvents: string[];
  description: string | null;
  secret?: string;
};

export type Delivery = {
  id: string;
  eventId: string;
  eventType: string;
  status: string;
  nextAttempt: number | null;
  created: number;
  attempts: {
    statusCode: number | null;
    error: string | null;
    response: string | null;
    durationMs: number;
  }[];
};

export type List<T> = { object: string; data: T[]; has_more: boolean; url: string };

export async function addEndpoint(
  client: Client,
  url: string,
  more: object = {},
): Promise<Endpoint & { secret: string }> {
  const { status, body } = await client.post<Endpoint & { secret: string }>("/webhook-endpoints", {
    url,
    ...more,
  });
  expect(status, JSON.stringify(body)).to.equal(200);
  return body;
}

export async function sendTest(client: Client, { id }: Endpoint): Promise<Delivery> {
  const { status, body } = await client.post<Delivery>(`/webhook-endpoints/${id}/test`, {});
  expect(status, JSON.stringify(body)).to.equal(200);
  return body;
}

export async function deliveriesOf(client: Client, { id }: Endpoint): Promise<Delivery[]> {
  const { status, body } = await client.get<List<Delivery>>(`/webhook-endpoints/${id}/deliveries?limit=100`);
  expect(status, JSON.stringify(body)).to.equal(200);
  return body.data;
}

export async function untilDelivery(
  client: Client,
  endpoint: Endpoint,
  isWanted: (delivery: Delivery) => boolean,
): Promise<Delivery> {
  return until(async () => (await deliveriesOf(client, endpoint)).find(isWanted) ?? null, {
    what: "a delivery coming to that",
    timeoutMs: 30_000,
  });
}

/** Retries, because the endpoint is disabled shortly after its delivery fails. */
export const untilDisabled = (client: Client, { id }: Endpoint): Promise<Endpoint> =>
  until(
    async () => {
      const { body } = await client.get<Endpoint>(`/webhook-endpoints/${id}`);
      return body.status === "disabled" ? body : null;
    },
    { what: "the endpoint being disabled", timeoutMs: 30_000 },
  );
