// List events, newest first. Filters: type (`payment_intent.*` for all of a kind), paymentIntentId, created,
// metadata[key]; or retrieve one.
import type { Static } from "@sinclair/typebox";
import { eq, like, type SQL, sql } from "drizzle-orm";
import { event } from "#core/db/schema/events.ts";
import type { EventRow } from "#core/events/record-events.ts";
import { showEvent } from "#core/events/show-event.ts";
import type { Call } from "../http/call.ts";
import { findOwn, listOwn } from "../http/own-rows.ts";
import { createdIn, metadataIn } from "../http/page.ts";
import { ofIntent } from "../payment-intents/find.ts";
import type { Services } from "../services.ts";
import type { EventObject, ListEventsQuery } from "./schemas.ts";

const EVENTS = { name: "event", table: event };

const show = (row: EventRow) => showEvent(row) as Static<typeof EventObject>;

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
  return listOwn(services.database, EVENTS, call, { query, where, show });
}

export async function retrieveEvent({ database }: Services, { caller, params }: Call) {
  return show(await findOwn(database, EVENTS, caller, { id: params.eventId, param: "eventId" }));
}
