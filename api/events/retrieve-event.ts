// Retrieve an event.
import type { Static } from "@sinclair/typebox";
import { showEvent } from "#core/events/show-event.ts";
import { type Call, paramOf } from "../http/call.ts";
import type { Services } from "../services.ts";
import { findOwnEvent } from "./find-event.ts";
import type { EventObject } from "./schemas.ts";

export async function retrieveEvent(services: Services, call: Call): Promise<Static<typeof EventObject>> {
  const reading = await findOwnEvent(services, call.caller, paramOf(call, "eventId"), "eventId");
  return showEvent(reading, services.config) as Static<typeof EventObject>;
}
