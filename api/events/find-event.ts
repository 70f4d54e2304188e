// Finds the event that a path or a cursor names, for the merchant that it was told to.
import { eq } from "drizzle-orm";
import type { Caller } from "#core/api-keys.ts";
import { event } from "#core/db/schema/events.ts";
import { forbidden, resourceMissing } from "#core/errors.ts";
import type { EventRow } from "#core/events/record-events.ts";
import type { Services } from "../services.ts";

/** @throws ServiceError 404 if there is none, 403 if it is another merchant's (or the other mode's) */
export async function findOwnEvent(
  { database }: Services,
  caller: Caller,
  id: string,
  param: string,
): Promise<EventRow> {
  const [row] = await database.select().from(event).where(eq(event.id, id));
  if (!row) throw resourceMissing(`There is no event '${id.slice(0, 100)}'.`, param);
  if (row.merchantId !== caller.merchantId || row.mode !== caller.mode) {
    throw forbidden("This event belongs to another account or mode.");
  }
  return row;
}
