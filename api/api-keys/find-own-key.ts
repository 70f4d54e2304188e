// Finds the key that a path or a cursor names, of the caller's merchant and mode.
import { eq } from "drizzle-orm";
import { apiKey } from "#core/db/schema/merchants.ts";
import { forbidden, invalidStatus, resourceMissing } from "#core/errors.ts";
import { type KeyRow, KeysError, shownOf } from "#core/keys/key.ts";
import { type Call, paramOf } from "../http/call.ts";
import type { Services } from "../services.ts";

/** @throws ServiceError 404 if there is none, 403 if it is another merchant's or the other mode's */
export async function findOwnKey(
  { database }: Services,
  call: Call,
  id = paramOf(call, "keyId"),
  param = "keyId",
): Promise<KeyRow> {
  const [row] = await database.select().from(apiKey).where(eq(apiKey.id, id));
  if (!row) throw resourceMissing(`There is no API key '${id.slice(0, 100)}'.`, param);
  if (row.merchantId !== call.caller.merchantId || row.mode !== call.caller.mode) {
    throw forbidden("This API key belongs to another account or mode.");
  }
  return shownOf(row);
}

/** What core/keys refuses, as the API says it. */
export async function refusing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof KeysError ? invalidStatus(error.message) : error;
  }
}
