// Creates API keys.
import type { Actor } from "../audit/record-audit.ts";
import type { Database, Transaction } from "../db/client.ts";
import { type KeyFacts, type KeyPrefix, newKey, storeKey } from "./api-keys.ts";
import { type KeyRow, KeysError, toKeyRow } from "./key-row.ts";
import { OPERATOR, recordKey } from "./record-key.ts";

/**
 * @param actor who creates the key, for the audit log
 * @returns the key, which is shown only once, and its row as shown in lists
 */
export async function createKey(
  database: Database | Transaction,
  merchantId: string,
  prefix: KeyPrefix,
  facts: KeyFacts = {},
  actor: Actor = OPERATOR,
): Promise<{ secret: string; key: KeyRow }> {
  if (facts.expiresAt && facts.expiresAt <= new Date())
    throw new KeysError("The API key would expire in the past.");
  const secret = newKey(prefix);
  return database.transaction(async (tx) => {
    const row = await storeKey(tx, merchantId, secret, facts);
    if (!row) throw new Error("The generated API key already exists.");
    const key = toKeyRow(row);
    await recordKey(tx, key, { actor, action: "create", to: key.state });
    return { secret, key };
  });
}
