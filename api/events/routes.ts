// The event operations.
import { Elysia } from "elysia";
import { noSuch } from "#core/errors.ts";
import { answers, pathParams, queried } from "../http/declare.ts";
import type { RouteMacros } from "../http/route-macros.ts";
import { listRefusals, OF_MISSING_INTENT } from "../lists/documented-errors.ts";
import { listEvents, retrieveEvent } from "./list-events.ts";
import { EventList, EventObject, ListEventsQuery } from "./schemas.ts";

const missing = (param: string) => noSuch("event", "evt_…", param);

// TypeScript has no type for the union of all event shapes, so the response type is `never`.
export const eventRoutes = (shared: RouteMacros) =>
  new Elysia({ normalize: false })
    .use(shared)
    .get("/events", async ({ services, call, query }) => (await listEvents(services, call, query)) as never, {
      access: { permission: "read" },
      ...queried(ListEventsQuery),
      response: answers(EventList, [...listRefusals(missing), OF_MISSING_INTENT]),
      detail: {
        operationId: "listEvents",
        tags: ["Events"],
        summary: "List events",
        description:
          "Returns the events of the merchant's payments, newest first. Webhook endpoints receive the same JSON.",
      },
    })
    .get("/events/:eventId", async ({ services, call }) => (await retrieveEvent(services, call)) as never, {
      access: { permission: "read" },
      params: pathParams("eventId"),
      response: answers(EventObject, [missing("eventId")]),
      detail: {
        operationId: "retrieveEvent",
        tags: ["Events"],
        summary: "Retrieve an event",
        description: "Returns the event as it was emitted. Events never change.",
      },
    });
