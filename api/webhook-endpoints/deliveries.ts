// The delivery log of a webhook endpoint: the events sent, the result of each attempt, and when the next attempt
// is due.
import type { Static } from "@sinclair/typebox";
import { and, asc, eq, gt, inArray, lt, type SQL } from "drizzle-orm";
import type { Database, Transaction } from "#core/db/client.ts";
import { event } from "#core/db/schema/events.ts";
import { webhookAttempt, webhookDelivery } from "#core/db/schema/webhooks.ts";
import { noSuch } from "#core/errors.ts";
import type { EventType } from "#core/model/event-data.ts";
import { toUnixSeconds } from "#core/model/unix-time.ts";
import type { Call } from "../http/request-context.ts";
import { createdIn, orderByPage, parsePage, showPage } from "../lists/page.ts";
import { ofIntent } from "../payment-intents/find.ts";
import type { Services } from "../services.ts";
import { findOwnEndpoint } from "./endpoints.ts";
import type { Delivery, DeliveryList, ListDeliveriesQuery } from "./schemas.ts";

export type DeliveryRow = typeof webhookDelivery.$inferSelect;
type Shown = Static<typeof Delivery>;
type Reader = Database | Transaction;

async function withAttempts(
  reader: Reader,
  rows: { delivery: DeliveryRow; type: string }[],
): Promise<Shown[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ delivery }) => delivery.id);
  const attempts = await reader
    .select()
    .from(webhookAttempt)
    .where(inArray(webhookAttempt.deliveryId, ids))
    .orderBy(asc(webhookAttempt.createdAt));
  return rows.map(({ delivery, type }) => ({
    id: delivery.id,
    object: "webhook_delivery",
    webhookEndpointId: delivery.endpointId,
    eventId: delivery.eventId,
    eventType: type as EventType,
    status: delivery.status,
    nextAttempt: delivery.nextAttemptAt && toUnixSeconds(delivery.nextAttemptAt),
    created: toUnixSeconds(delivery.createdAt),
    attempts: attempts
      .filter(({ deliveryId }) => deliveryId === delivery.id)
      .map(({ statusCode, error, response, durationMs, createdAt }) => ({
        statusCode,
        error,
        response,
        durationMs,
        created: toUnixSeconds(createdAt),
      })),
  }));
}

const select = (reader: Reader) =>
  reader
    .select({ delivery: webhookDelivery, type: event.type })
    .from(webhookDelivery)
    .innerJoin(event, eq(event.id, webhookDelivery.eventId));

/** @throws ServiceError 404 if the endpoint has no such delivery */
export async function findDelivery(
  reader: Reader,
  endpointId: string,
  id: string,
  param = "deliveryId",
): Promise<DeliveryRow> {
  const [row] = await select(reader).where(
    and(eq(webhookDelivery.id, id), eq(webhookDelivery.endpointId, endpointId)),
  );
  if (!row) throw noSuch("delivery", id, param);
  return row.delivery;
}

export async function showDelivery(reader: Reader, id: string): Promise<Shown> {
  const [shown] = await withAttempts(reader, await select(reader).where(eq(webhookDelivery.id, id)));
  if (!shown) throw noSuch("delivery", id, "deliveryId");
  return shown;
}

export async function listDeliveries(
  services: Services,
  call: Call,
  query: Static<typeof ListDeliveriesQuery>,
): Promise<Static<typeof DeliveryList>> {
  const { database } = services;
  const { id: endpointId } = await findOwnEndpoint(services, call);
  const { status } = query;
  const page = parsePage(query);
  const { cursor } = page;
  const ofPayment = await ofIntent(services, call, event.intentId, query.paymentIntentId);
  const place = cursor && (await findDelivery(database, endpointId, cursor.id, cursor.param));
  const where: SQL[] = [
    eq(webhookDelivery.endpointId, endpointId),
    ...(status ? [eq(webhookDelivery.status, status)] : []),
    ...(place ? [(page.isBackward ? gt : lt)(webhookDelivery.eventId, place.eventId)] : []),
    ...ofPayment,
    ...createdIn(webhookDelivery.createdAt, query.created),
  ];
  const rows = await select(database)
    .where(and(...where))
    .orderBy(...orderByPage(page, webhookDelivery.eventId))
    .limit(page.limit + 1);
  return showPage(await withAttempts(database, rows), page, (shown) => shown, call.url);
}
