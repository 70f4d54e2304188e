// Revoke an API key: it opens nothing from now on. Safe to repeat.
import { eq } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { apiKey } from "../db/schema.ts";
import { lockKey } from "./find-key.ts";
import type { KeyRow } from "./key.ts";

/** @param merchantId whose key it must be; undefined for whoever runs the gateway */
export async function revokeKey(database: Database, keyId: string, merchantId?: string): Promise<KeyRow> {
  return database.transaction(async (tx) => {
    const key = await lockKey(tx, keyId, merchantId);
    if (key.revokedAt) return key;
    const revokedAt = new Date();
    await tx.update(apiKey).set({ revokedAt }).where(eq(apiKey.id, keyId));
    return { ...key, revokedAt, state: "revoked" };
  });
}
