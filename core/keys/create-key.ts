// Create an API key.
import { type KeyFacts, type KeyPrefix, newKey, storeKey } from "../api-keys.ts";
import type { Database, Transaction } from "../db/client.ts";
import { type KeyRow, KeysError, shownOf } from "./key.ts";

/** @returns the key, to be shown this once, and what lists show of it */
export async function createKey(
  database: Database | Transaction,
  merchantId: string,
  prefix: KeyPrefix,
  facts: KeyFacts = {},
): Promise<{ secret: string; key: KeyRow }> {
  if (facts.expiresAt && facts.expiresAt <= new Date()) throw new KeysError("The key would end in the past.");
  const secret = newKey(prefix);
  const row = await storeKey(database, merchantId, secret, facts);
  if (!row) throw new Error("A new key was known before it was made.");
  return { secret, key: shownOf(row) };
}
