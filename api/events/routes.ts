// The events' routes.
import { Elysia } from "elysia";
import { type ErrorStatus, operationsOf } from "../http/operation.ts";
import type { Services } from "../services.ts";
import { listEvents } from "./list-events.ts";
import { retrieveEvent } from "./retrieve-event.ts";
import { EventList, EventObject } from "./schemas.ts";

const of = { tag: "Events", errors: [400, 401, 403, 404] as ErrorStatus[] };

export function eventRoutes(services: Services, documented: boolean) {
  const { get } = operationsOf(services, documented);
  return new Elysia({ prefix: "/events" })
    .get("", ...get(listEvents, { ...of, summary: "List events", answer: EventList }))
    .get("/:eventId", ...get(retrieveEvent, { ...of, summary: "Retrieve an event", answer: EventObject }));
}
