// Lists the API keys of one merchant or of all, oldest first.
import { asc, eq } from "drizzle-orm";
import { type KeyRow, toKeyRow } from "#core/api-keys/key-row.ts";
import type { Database } from "#core/db/client.ts";
import { apiKey } from "#core/db/schema/merchants.ts";

export async function listKeys(database: Database, merchantId?: string): Promise<KeyRow[]> {
  const rows = await database
    .select()
    .from(apiKey)
    .where(merchantId === undefined ? undefined : eq(apiKey.merchantId, merchantId))
    .orderBy(asc(apiKey.createdAt), asc(apiKey.id));
  return rows.map((row) => toKeyRow(row));
}
