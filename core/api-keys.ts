// API keys: `sk_{environment}_{unique_identifier}`, known only to whom they were shown (spec, "Authentication").
import { createHash, randomBytes } from "node:crypto";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Database, Transaction } from "./db/client.ts";
import { apiKey, type Mode, merchant } from "./db/schema.ts";
import { newId } from "./ids.ts";

const PREFIXES = { sk_test_: "test", sk_hackathon_: "test", sk_live_: "live" } as const;
export type KeyPrefix = keyof typeof PREFIXES;

const KEY = /^(sk_test_|sk_hackathon_|sk_live_)[A-Za-z0-9_-]{16,128}$/;

/** Whom a key speaks for. */
export type Caller = { keyId: string; merchantId: string; mode: Mode };

const hashOf = (key: string): Buffer => createHash("sha256").update(key).digest();

export const newKey = (prefix: KeyPrefix): string => `${prefix}${randomBytes(32).toString("base64url")}`;

const modeOf = (key: string): Mode | undefined => {
  const prefix = KEY.exec(key)?.[1] as KeyPrefix | undefined;
  return prefix && PREFIXES[prefix];
};

/** Makes `key` open the merchant's account. A key that is known already stays as it is. */
export async function storeKey(
  database: Database | Transaction,
  merchantId: string,
  key: string,
): Promise<void> {
  const mode = modeOf(key);
  if (!mode) throw new Error("An API key has the form sk_test_…, sk_live_… or sk_hackathon_….");
  await database
    .insert(apiKey)
    .values({ id: newId("key"), merchantId, mode, hash: hashOf(key) })
    .onConflictDoNothing({ target: apiKey.hash });
}

/**
 * A look-up of callers by key. Only the hash is compared, by an index: what its timing tells about a hash says
 * nothing about any key.
 */
export function prepareCallerLookup(database: Database) {
  const query = database
    .select({ keyId: apiKey.id, merchantId: apiKey.merchantId, mode: apiKey.mode })
    .from(apiKey)
    .innerJoin(merchant, eq(merchant.id, apiKey.merchantId))
    .where(and(eq(apiKey.hash, sql.placeholder("hash")), isNull(apiKey.revokedAt)))
    .prepare("find_caller");
  return async (key: string): Promise<Caller | undefined> => {
    if (!modeOf(key)) return undefined;
    const [caller] = await query.execute({ hash: hashOf(key) });
    return caller;
  };
}
