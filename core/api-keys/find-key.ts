// Finds a key to change it, with its row locked.
import { and, eq } from "drizzle-orm";
import type { Transaction } from "../db/client.ts";
import { apiKey } from "../db/schema/merchants.ts";
import { shownOf, UnknownKeyError } from "./key.ts";

/**
 * @param merchantId whose key it must be; undefined for whoever runs the gateway
 * @throws UnknownKeyError if there is none
 */
export async function lockKey(tx: Transaction, keyId: string, merchantId: string | undefined) {
  const [row] = await tx
    .select()
    .from(apiKey)
    .where(
      and(eq(apiKey.id, keyId), merchantId === undefined ? undefined : eq(apiKey.merchantId, merchantId)),
    )
    .for("update");
  if (!row) throw new UnknownKeyError(`There is no key '${keyId}'.`);
  return shownOf(row);
}
