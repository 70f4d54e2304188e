// Webhook endpoints as their merchant sees them.
import type { Static } from "@sinclair/typebox";
import { eq } from "drizzle-orm";
import type { Transaction } from "#core/db/client.ts";
import { webhookEndpoint } from "#core/db/schema/webhooks.ts";
import { forbidden, internalError, invalidRequest, resourceMissing } from "#core/errors.ts";
import { problemOfUrl } from "#core/events/public-address.ts";
import { type Call, paramOf } from "../http/call.ts";
import type { Services } from "../services.ts";
import type { Endpoint } from "./schemas.ts";

export type EndpointRow = typeof webhookEndpoint.$inferSelect;

export const unix = (moment: Date): number => Math.floor(moment.getTime() / 1000);

export const showEndpoint = (row: EndpointRow): Static<typeof Endpoint> => ({
  id: row.id,
  object: "webhook_endpoint",
  url: row.url,
  description: row.description,
  enabled_events: row.enabledEvents,
  status: row.status,
  disabled_reason: row.disabledReason,
  livemode: row.mode === "live",
  created: unix(row.createdAt),
  updated: unix(row.updatedAt),
});

function requireOwn(
  row: EndpointRow | undefined,
  { caller }: Call,
  id: string,
  param = "endpointId",
): EndpointRow {
  if (!row) throw resourceMissing(`There is no webhook endpoint '${id.slice(0, 100)}'.`, param);
  if (row.merchantId !== caller.merchantId || row.mode !== caller.mode) {
    throw forbidden("This webhook endpoint belongs to another account or mode.");
  }
  return row;
}

/** @throws ServiceError 404 if there is none, 403 if it belongs to another merchant (or to the other mode) */
export async function findOwnEndpoint(
  { database }: Services,
  call: Call,
  id = paramOf(call, "endpointId"),
  param = "endpointId",
): Promise<EndpointRow> {
  const [row] = await database.select().from(webhookEndpoint).where(eq(webhookEndpoint.id, id));
  return requireOwn(row, call, id, param);
}

/** As findOwnEndpoint, with the row locked. */
export async function lockOwnEndpoint(tx: Transaction, call: Call): Promise<EndpointRow> {
  const id = paramOf(call, "endpointId");
  const [row] = await tx.select().from(webhookEndpoint).where(eq(webhookEndpoint.id, id)).for("update");
  return requireOwn(row, call, id);
}

/** @throws ServiceError 400 for a URL that webhooks cannot go to */
export function requireCallable({ config }: Services, url: string): void {
  const problem = problemOfUrl(url, config.webhooks);
  if (problem) throw invalidRequest(`Invalid url: ${problem}.`, "url");
}

/** The row that a statement has returned. */
export function returned<Row>([row]: Row[]): Row {
  if (!row) throw internalError(new Error("A statement returned no row."));
  return row;
}
