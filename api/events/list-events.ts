// Lists events, newest first, or retrieves one event. Filters: type (`payment_intent.*` for all types of a
// kind), paymentIntentId, created, metadata[key].
import type { Static } from "@sinclair/typebox";
import { and, eq, inArray, like, type SQL } from "drizzle-orm";
import type { Caller } from "#core/api-keys/api-keys.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { event } from "#core/db/schema/events.ts";
import { intent } from "#core/db/schema/intents.ts";
import type { EventRow } from "#core/events/record-events.ts";
import { EVENT_READING, showEvent } from "#core/events/show-event.ts";
import type { Call } from "../http/request-context.ts";
import { findOwn, listOwn } from "../lists/own-rows.ts";
import { createdIn, metadataIn } from "../lists/page.ts";
import { ofIntent } from "../payment-intents/find.ts";
import type { Services } from "../services.ts";
import type { EventObject, ListEventsQuery } from "./schemas.ts";

const EVENTS = { name: "event", table: event, tieBreak: event.position };

/** Returns the events in the order of their rows. */
async function showAll(
  { database, config }: Services,
  { merchantId }: Pick<Caller, "merchantId">,
  rows: readonly EventRow[],
) {
  const ids = [...new Set(rows.flatMap(({ intentId }) => intentId ?? []))];
  const intents = await database
    .select({ intent, deployment: EVENT_READING.deployment })
    .from(intent)
    .innerJoin(deployment, eq(deployment.id, intent.deploymentId))
    .where(and(eq(intent.merchantId, merchantId), inArray(intent.id, ids)));
  const byId = new Map(intents.map((row) => [row.intent.id, row]));
  return rows.map((row) => {
    const { intent = null, deployment = null } = (row.intentId && byId.get(row.intentId)) || {};
    return showEvent({ event: row, intent, deployment }, config) as Static<typeof EventObject>;
  });
}

function ofType(type: string | undefined): SQL[] {
  if (type === undefined) return [];
  return [type.endsWith("*") ? like(event.type, type.replace("*", "%")) : eq(event.type, type)];
}

export async function listEvents(services: Services, call: Call, query: Static<typeof ListEventsQuery>) {
  const where = [
    ...ofType(query.type),
    ...(await ofIntent(services, call, event.intentId, query.paymentIntentId)),
    ...createdIn(event.createdAt, query.created),
    ...metadataIn(event.metadata, query.metadata),
  ];
  const page = await listOwn(services.database, EVENTS, call, { query, where, show: (row) => row });
  return { ...page, data: await showAll(services, call.caller, page.data) };
}

export async function retrieveEvent(services: Services, { caller, params }: Call) {
  const row = await findOwn(services.database, EVENTS, caller, { id: params.eventId, param: "eventId" });
  const [shown] = await showAll(services, caller, [row]);
  return shown;
}
