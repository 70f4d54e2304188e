// List events, newest first. Filters: type (`payment_intent.*` for all of a kind), paymentIntentId, created,
// metadata[key].
import type { Static } from "@sinclair/typebox";
import { and, eq, like, type SQL, sql } from "drizzle-orm";
import { event } from "#core/db/schema/events.ts";
import { EVENT_TYPES } from "#core/events/event-data.ts";
import { showEvent } from "#core/events/show-event.ts";
import type { Call } from "../http/call.ts";
import { beside, createdIn, inOrderOf, metadataIn, pageIn, showPage } from "../http/page.ts";
import { oneFrom, parseQuery } from "../http/query.ts";
import { findIntentOf } from "../payment-intents/find.ts";
import type { Services } from "../services.ts";
import { findOwnEvent, selectEvents } from "./find-event.ts";
import { type EventList, type EventObject, ListEventsQuery } from "./schemas.ts";

function ofType(type: string | undefined): SQL[] {
  if (type === undefined) return [];
  const kind = EVENT_TYPES.map((known) => known.replace(/\..*/, "")).find((name) => type === `${name}.*`);
  if (kind) return [like(event.type, `${kind}.%`)];
  return [eq(event.type, oneFrom(EVENT_TYPES, type, "type") ?? "")];
}

async function ofIntent(services: Services, { caller }: Call, id: string | undefined): Promise<SQL[]> {
  if (id === undefined) return [];
  const { intent } = await findIntentOf(services, caller, id, "paymentIntentId");
  return [eq(event.intentId, intent.id)];
}

export async function listEvents(services: Services, call: Call): Promise<Static<typeof EventList>> {
  const { caller, url } = call;
  const query = parseQuery(url.searchParams, ListEventsQuery);
  const { fields } = query;
  const page = pageIn(query);
  const { cursor } = page;
  const place = cursor && (await findOwnEvent(services, caller, cursor.id, cursor.param)).event;
  const rows = await selectEvents(services.database)
    .where(
      and(
        eq(event.merchantId, caller.merchantId),
        eq(event.mode, caller.mode),
        ...(place ? beside(page, event, event.id, place) : []),
        ...ofType(fields.type),
        ...(await ofIntent(services, call, fields.paymentIntentId)),
        ...createdIn(event.createdAt, query),
        ...metadataIn(sql`${event.data} -> 'object' -> 'metadata'`, query),
      ),
    )
    .orderBy(...inOrderOf(page, event.createdAt, event.id))
    .limit(page.limit + 1);
  return showPage(rows, page, (row) => showEvent(row, services.config) as Static<typeof EventObject>, url);
}
