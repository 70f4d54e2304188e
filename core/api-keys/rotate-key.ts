// Rotates an API key: creates a new one with the same permissions, and keeps the old one valid for a while.
import { eq } from "drizzle-orm";
import type { Actor } from "../audit/record-audit.ts";
import type { Database, Transaction } from "../db/client.ts";
import { apiKey } from "../db/schema/merchants.ts";
import type { KeyPrefix } from "./api-keys.ts";
import { createKey } from "./create-key.ts";
import { lockKey } from "./find-key.ts";
import { type KeyRow, KeysError } from "./key-row.ts";
import { OPERATOR, recordKey } from "./record-key.ts";

/** Default and maximum time for which an old key stays valid, in seconds. */
export const DEFAULT_OVERLAP = 86_400;
export const MAX_OVERLAP = 30 * 86_400;

/**
 * @param overlapSeconds how long the old key stays valid alongside the new one; 0 ends it immediately
 * @param merchantId the key's merchant; undefined for the gateway's operator
 * @param actor who rotates the key, for the audit log
 * @returns the new key, which is shown only once, and both rows as shown in lists
 * @throws KeysError for a key that is no longer valid or has been replaced
 */
export async function rotateKey(
  database: Database | Transaction,
  keyId: string,
  overlapSeconds: number,
  merchantId?: string,
  actor: Actor = OPERATOR,
): Promise<{ secret: string; key: KeyRow; replaced: KeyRow }> {
  return database.transaction(async (tx) => {
    const old = await lockKey(tx, keyId, merchantId);
    if (old.state === "revoked" || old.state === "expired") {
      throw new KeysError(`The API key '${keyId}' is ${old.state}. Create a new key instead.`);
    }
    if (old.replacedBy)
      throw new KeysError(`The API key '${keyId}' was already replaced by '${old.replacedBy}'.`);
    const prefix = old.hint.replace(/….*$/, "") || (old.mode === "live" ? "sk_live_" : "sk_test_");
    const facts = { name: old.name ?? undefined, access: old.access };
    const made = await createKey(tx, old.merchantId, prefix as KeyPrefix, facts, actor);
    const end = new Date(Date.now() + overlapSeconds * 1000);
    const expiresAt = old.expiresAt && old.expiresAt < end ? old.expiresAt : end;
    await tx.update(apiKey).set({ expiresAt, replacedBy: made.key.id }).where(eq(apiKey.id, keyId));
    const state = overlapSeconds > 0 ? "ending" : "expired";
    await recordKey(tx, old, { actor, action: "rotate", from: old.state, to: state });
    return { ...made, replaced: { ...old, expiresAt, replacedBy: made.key.id, state } };
  });
}
