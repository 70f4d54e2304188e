// Finds the event that a path or a cursor names, for the merchant that it was told to.
import { eq } from "drizzle-orm";
import type { Caller } from "#core/api-keys.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { event } from "#core/db/schema/events.ts";
import { intent } from "#core/db/schema/intents.ts";
import { forbidden, resourceMissing } from "#core/errors.ts";
import { EVENT_READING, type EventReading, isIntentOfEvent } from "#core/events/show-event.ts";
import type { Services } from "../services.ts";

export const selectEvents = (database: Services["database"]) =>
  database
    .select(EVENT_READING)
    .from(event)
    .leftJoin(intent, isIntentOfEvent)
    .leftJoin(deployment, eq(deployment.id, intent.deploymentId));

/** @throws ServiceError 404 if there is none, 403 if it is another merchant's (or the other mode's) */
export async function findOwnEvent(
  { database }: Services,
  caller: Caller,
  id: string,
  param: string,
): Promise<EventReading> {
  const [reading] = await selectEvents(database).where(eq(event.id, id));
  const row = reading?.event;
  if (!row) throw resourceMissing(`There is no event '${id.slice(0, 100)}'.`, param);
  if (row.merchantId !== caller.merchantId || row.mode !== caller.mode) {
    throw forbidden("This event belongs to another account or mode.");
  }
  return reading;
}
