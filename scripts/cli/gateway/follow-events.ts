// Follows the event list: yields new events, oldest first.
import { setTimeout as delay } from "node:timers/promises";
import type { Gateway, Schemas } from "#sdk/index.ts";

type Event = Schemas["Event"];

/** 30 requests per minute, of the 100 that a test key allows. */
const POLL_MS = 2_000;
/** Each poll rereads this many seconds, because an event may be stored slightly later than a newer one. */
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
