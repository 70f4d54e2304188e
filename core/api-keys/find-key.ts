// Finds a key to change, and locks its row.
import { and, eq } from "drizzle-orm";
import type { Transaction } from "../db/client.ts";
import { apiKey } from "../db/schema/merchants.ts";
import { toKeyRow, UnknownKeyError } from "./key-row.ts";

/**
 * @param merchantId the key's merchant; undefined for the gateway's operator
 * @throws UnknownKeyError if the key does not exist
 */
export async function lockKey(tx: Transaction, keyId: string, merchantId: string | undefined) {
  const [row] = await tx
    .select()
    .from(apiKey)
    .where(
      and(eq(apiKey.id, keyId), merchantId === undefined ? undefined : eq(apiKey.merchantId, merchantId)),
    )
    .for("update");
  if (!row) throw new UnknownKeyError(`No such API key: '${keyId}'.`);
  return toKeyRow(row);
}
