// List events, newest first. Filters: type (`payment_intent.*` for all of a kind), paymentIntentId, created,
// metadata[key]; or retrieve one.
import type { Static } from "@sinclair/typebox";
import { eq, inArray, like, type SQL, sql } from "drizzle-orm";
import { deployment } from "#core/db/schema/deployments.ts";
import { event } from "#core/db/schema/events.ts";
import { intent } from "#core/db/schema/intents.ts";
import type { EventRow } from "#core/events/record-events.ts";
import { EVENT_READING, isIntentOfEvent, showEvent } from "#core/events/show-event.ts";
import type { Call } from "../http/call.ts";
import { findOwn, listOwn } from "../http/own-rows.ts";
import { createdIn, metadataIn } from "../http/page.ts";
import { ofIntent } from "../payment-intents/find.ts";
import type { Services } from "../services.ts";
import type { EventObject, ListEventsQuery } from "./schemas.ts";

const EVENTS = { name: "event", table: event };

/** The events of some rows, in their order. */
async function showAll({ database, config }: Services, rows: readonly EventRow[]) {
  const ids = rows.map(({ id }) => id);
  const readings = await database
    .select(EVENT_READING)
    .from(event)
    .leftJoin(intent, isIntentOfEvent)
    .leftJoin(deployment, eq(deployment.id, intent.deploymentId))
    .where(inArray(event.id, ids));
  return readings
    .sort((one, other) => ids.indexOf(one.event.id) - ids.indexOf(other.event.id))
    .map((reading) => showEvent(reading, config) as Static<typeof EventObject>);
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
    ...metadataIn(sql`${event.data} -> 'object' -> 'metadata'`, query.metadata),
  ];
  const page = await listOwn(services.database, EVENTS, call, { query, where, show: (row) => row });
  return { ...page, data: await showAll(services, page.data) };
}

export async function retrieveEvent(services: Services, { caller, params }: Call) {
  const row = await findOwn(services.database, EVENTS, caller, { id: params.eventId, param: "eventId" });
  const [shown] = await showAll(services, [row]);
  return shown;
}
