// Follows the event list: new events from now on, oldest first.
import { setTimeout as delay } from "node:timers/promises";
import type { Gateway, Schemas } from "#sdk/index.ts";

type Event = Schemas["Event"];

/** 30 requests per minute, out of a test key's 100. */
const POLL_MS = 2_000;
/** An event can be stored slightly later than a newer one, so the list is reread from this many seconds back. */
const OVERLAP_S = 10;

/** @param type in the format of `GET /v1/events` */
export async function* followEvents(
  gateway: Gateway,
  { type, pollMs = POLL_MS }: { type?: string | undefined; pollMs?: number },
): AsyncGenerator<Event, never, undefined> {
  const filter = type === undefined ? {} : ({ type } as object);
  let [anchor] = (await gateway.events.list({ ...filter, limit: 1 })).data;
  let seen = new Set<string>();
  for (;;) {
    await delay(pollMs);
    const from = anchor ? { ending_before: anchor.id } : {};
    const events: Event[] = [];
    for await (const event of gateway.events.list({ ...filter, ...from })) events.push(event);
    if (!anchor) events.reverse();
    for (const event of events) if (!seen.has(event.id)) yield event;
    seen = new Set(events.map(({ id }) => id));
    const settledBefore = Math.floor(Date.now() / 1_000) - OVERLAP_S;
    anchor = events.findLast(({ created }) => created < settledBefore) ?? anchor;
  }
}
