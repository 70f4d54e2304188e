// Merchants: the accounts that receive payments.
import { asc, eq } from "drizzle-orm";
import { type Address, getAddress } from "viem";
import { newKey, storeKey } from "#core/api-keys/api-keys.ts";
import { OPERATOR } from "#core/api-keys/record-key.ts";
import { recordAudit } from "#core/audit/record-audit.ts";
import { connect, type Database } from "#core/db/client.ts";
import { merchant } from "#core/db/schema/merchants.ts";
import { newMerchantId } from "#core/ids.ts";
import { changesBetween } from "#core/model/changes.ts";
import type { Mode } from "#core/model/mode.ts";

type WantedMerchant = { name: string; account: Address; apiKey?: string };
type KnownMerchant = { merchantId: string; apiKey: string };

/** Like `ensureMerchantIn`, with a connection of its own. */
export async function ensureMerchant(databaseUrl: string, wanted: WantedMerchant): Promise<KnownMerchant> {
  const database = connect(databaseUrl, { max: 1, application: "merchants" });
  try {
    return await ensureMerchantIn(database, wanted);
  } finally {
    await database.$client.end();
  }
}

/**
 * Ensures that a merchant with this name exists and that the API key belongs to it. Idempotent.
 * @param apiKey an existing key; if omitted, a new test key is created
 */
export function ensureMerchantIn(
  database: Database,
  { name, account, apiKey = newKey("sk_test_") }: WantedMerchant,
): Promise<KnownMerchant> {
  return database.transaction(async (tx) => {
    await tx
      .insert(merchant)
      .values({ id: newMerchantId(), name, account: getAddress(account) })
      .onConflictDoNothing({ target: merchant.name });
    const [row] = await tx.select().from(merchant).where(eq(merchant.name, name));
    if (!row) throw new Error(`Merchant ${name} was deleted while it was being created.`);
    if (row.account !== getAddress(account)) {
      throw new Error(`Merchant ${name} has the account ${row.account}, not ${account}.`);
    }
    await storeKey(tx, row.id, apiKey);
    return { merchantId: row.id, apiKey };
  });
}

export type Merchant = typeof merchant.$inferSelect;

/** @returns undefined if a merchant with this name already exists */
export async function createMerchant(
  database: Database,
  { name, account }: { name: string; account: Address },
): Promise<Merchant | undefined> {
  const [row] = await database
    .insert(merchant)
    .values({ id: newMerchantId(), name, account: getAddress(account) })
    .onConflictDoNothing({ target: merchant.name })
    .returning();
  return row;
}

/** The merchant details that payers see, and the hosts to which payers can be redirected. */
export type Profile = Pick<Merchant, "logoUrl" | "supportEmail" | "returnHosts">;

/** Changes a merchant's profile from the command line, and records the old and new values in the audit log. */
export async function updateMerchant(
  database: Database,
  id: string,
  profile: Partial<Profile>,
  mode: Mode,
): Promise<Merchant> {
  return database.transaction(async (tx) => {
    const [before] = await tx.select().from(merchant).where(eq(merchant.id, id)).for("update");
    const [after] = await tx.update(merchant).set(profile).where(eq(merchant.id, id)).returning();
    if (!before || !after) throw new Error(`No such merchant: '${id}'.`);
    const changes = changesBetween(before, after);
    await recordAudit(tx, [
      { merchantId: id, mode, actor: OPERATOR, action: "merchant.update", resourceId: id, changes },
    ]);
    return after;
  });
}

export const listMerchants = (database: Database): Promise<Merchant[]> =>
  database.select().from(merchant).orderBy(asc(merchant.createdAt), asc(merchant.id));
