// Finds the key that a path or a cursor identifies, within the caller's merchant and mode.
import { KeysError } from "#core/api-keys/key-row.ts";
import { apiKey } from "#core/db/schema/merchants.ts";
import { invalidStatus } from "#core/errors.ts";
import type { Call } from "../http/request-context.ts";
import { findOwn } from "../lists/own-rows.ts";
import type { Services } from "../services.ts";

export const API_KEYS = { name: "API key", table: apiKey };

/** @throws ServiceError 404 if the key does not exist, 403 if it belongs to another merchant or the other mode */
export const findOwnKey = ({ database }: Services, { caller, params }: Call) =>
  findOwn(database, API_KEYS, caller, { id: params.keyId, param: "keyId" });

/** Maps the errors of core/api-keys to the API's errors. */
export async function refusing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof KeysError ? invalidStatus(error.message) : error;
  }
}
