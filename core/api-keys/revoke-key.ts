// Revokes an API key with immediate effect. Idempotent.
import { eq } from "drizzle-orm";
import type { Actor } from "../audit/record-audit.ts";
import type { Database, Transaction } from "../db/client.ts";
import { apiKey } from "../db/schema/merchants.ts";
import { lockKey } from "./find-key.ts";
import type { KeyRow } from "./key-row.ts";
import { OPERATOR, recordKey } from "./record-key.ts";

/**
 * @param merchantId the key's merchant; undefined for the gateway's operator
 * @param actor who revokes the key, for the audit log
 */
export async function revokeKey(
  database: Database | Transaction,
  keyId: string,
  merchantId?: string,
  actor: Actor = OPERATOR,
): Promise<KeyRow> {
  return database.transaction(async (tx) => {
    const key = await lockKey(tx, keyId, merchantId);
    if (key.revokedAt) return key;
    const revokedAt = new Date();
    await tx.update(apiKey).set({ revokedAt }).where(eq(apiKey.id, keyId));
    await recordKey(tx, key, { actor, action: "revoke", from: key.state, to: "revoked" });
    return { ...key, revokedAt, state: "revoked" };
  });
}
