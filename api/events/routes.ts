// The events' operations.
import { resourceMissing } from "#core/errors.ts";
import { get, type Operation } from "../http/operation.ts";
import { BAD_LIMIT, OF_MISSING_INTENT } from "../http/refusals.ts";
import { listEvents } from "./list-events.ts";
import { retrieveEvent } from "./retrieve-event.ts";
import { EventList, EventObject, ListEventsQuery } from "./schemas.ts";

const missing = (param: string) => resourceMissing("There is no event 'evt_…'.", param);

export const eventOperations: Operation[] = [
  get("/events", listEvents, {
    tag: "Events",
    id: "listEvents",
    summary: "List events",
    query: ListEventsQuery,
    answer: EventList,
    refusals: [BAD_LIMIT, missing("starting_after"), OF_MISSING_INTENT],
  }),
  get("/events/:eventId", retrieveEvent, {
    tag: "Events",
    id: "retrieveEvent",
    summary: "Retrieve an event",
    answer: EventObject,
    refusals: [missing("eventId")],
  }),
];
