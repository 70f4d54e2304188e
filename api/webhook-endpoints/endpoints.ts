// Webhook endpoints as shown to their merchant.
import type { Static } from "@sinclair/typebox";
import type { Transaction } from "#core/db/client.ts";
import { webhookEndpoint } from "#core/db/schema/webhooks.ts";
import { invalidRequest } from "#core/errors.ts";
import { toUnixSeconds } from "#core/model/unix-time.ts";
import { problemOfUrl } from "#core/webhooks/public-address.ts";
import type { Call } from "../http/request-context.ts";
import { findOwn } from "../lists/own-rows.ts";
import type { Services } from "../services.ts";
import type { Endpoint } from "./schemas.ts";

export type EndpointRow = typeof webhookEndpoint.$inferSelect;

export const showEndpoint = (row: EndpointRow): Static<typeof Endpoint> => ({
  id: row.id,
  object: "webhook_endpoint",
  url: row.url,
  description: row.description,
  enabledEvents: row.enabledEvents,
  status: row.status,
  disabledReason: row.disabledReason,
  livemode: row.mode === "live",
  created: toUnixSeconds(row.createdAt),
  updated: toUnixSeconds(row.updatedAt),
});

export const ENDPOINTS = { name: "webhook endpoint", table: webhookEndpoint };

/** @throws ServiceError 404 if the endpoint does not exist, 403 if it belongs to another merchant or the other mode */
export const findOwnEndpoint = ({ database }: Services, { caller, params }: Call): Promise<EndpointRow> =>
  findOwn(database, ENDPOINTS, caller, { id: params.endpointId, param: "endpointId" });

/** Like findOwnEndpoint, but locks the row. */
export const lockOwnEndpoint = (tx: Transaction, { caller, params }: Call): Promise<EndpointRow> =>
  findOwn(tx, ENDPOINTS, caller, { id: params.endpointId, param: "endpointId", locked: true });

/** @throws ServiceError 400 for a URL to which webhooks cannot be sent */
export function requireCallable({ config }: Services, url: string): void {
  const problem = problemOfUrl(url, config.webhooks);
  if (problem) throw invalidRequest(`Invalid url: ${problem}.`, "url");
}
