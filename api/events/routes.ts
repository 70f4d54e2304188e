// The events' operations.
import { Elysia } from "elysia";
import { resourceMissing } from "#core/errors.ts";
import { answer, describe } from "../http/describe.ts";
import type { Gateway } from "../http/gateway.ts";
import { listRefusals, OF_MISSING_INTENT } from "../http/refusals.ts";
import { listEvents } from "./list-events.ts";
import { retrieveEvent } from "./retrieve-event.ts";
import { EventList, EventObject, ListEventsQuery } from "./schemas.ts";

const missing = (param: string) => resourceMissing("There is no event 'evt_…'.", param);

// An event is one of a list of shapes, for whose union TypeScript has no type: the answers are `never` to it.
export const eventRoutes = (shared: Gateway) =>
  new Elysia({ normalize: false })
    .use(shared)
    .get("/events", async ({ network, call }) => (await listEvents(network, call)) as never, {
      access: { permission: "read" },
      response: answer(EventList),
      detail: describe({
        id: "listEvents",
        tag: "Events",
        summary: "List events",
        description:
          "What happened to the merchant's payments, newest first; the same JSON goes to webhook endpoints.",
        query: ListEventsQuery,
        refusals: [...listRefusals(missing), OF_MISSING_INTENT],
      }),
    })
    .get("/events/:eventId", async ({ network, call }) => (await retrieveEvent(network, call)) as never, {
      access: { permission: "read" },
      response: answer(EventObject),
      detail: describe({
        id: "retrieveEvent",
        tag: "Events",
        summary: "Retrieve an event",
        description: "As it was when it happened: an event does not change.",
        refusals: [missing("eventId")],
      }),
    });
