// Finds the caller of a key: from memory for a few seconds, so that a request costs no statement for it; a key that is
// revoked is forgotten at once, because the database tells all processes.
import { and, eq, gt, isNull, or, sql } from "drizzle-orm";
import { type Caller, hashOf, prefixOf } from "../api-keys.ts";
import type { Database } from "../db/client.ts";
import { apiKey, merchant } from "../db/schema/merchants.ts";
import type { KeyListener } from "./listen.ts";

/** The longest that a missed notification may matter. */
const LIFE_MS = 5_000;
const MOST_REMEMBERED = 10_000;

type Remembered = { caller: Caller; until: number };

/** Only the hash is compared, by an index: what its timing tells about a hash says nothing about any key. */
function prepareLookup(database: Database) {
  return database
    .select({
      keyId: apiKey.id,
      merchantId: apiKey.merchantId,
      account: merchant.account,
      mode: apiKey.mode,
      access: apiKey.access,
      expiresAt: apiKey.expiresAt,
    })
    .from(apiKey)
    .innerJoin(merchant, eq(merchant.id, apiKey.merchantId))
    .where(
      and(
        eq(apiKey.hash, sql.placeholder("hash")),
        isNull(apiKey.revokedAt),
        or(isNull(apiKey.expiresAt), gt(apiKey.expiresAt, sql`now()`)),
      ),
    )
    .prepare("find_caller");
}

export type FindCaller = (key: string) => Caller | undefined | Promise<Caller | undefined>;

/**
 * @param listener tells when keys changed; while it does not hear, nothing is remembered
 * @param onUse told the id of every key that was used
 */
export function createCallerLookup(
  database: Database,
  listener: KeyListener,
  onUse: (keyId: string) => void,
): FindCaller {
  const query = prepareLookup(database);
  const remembered = new Map<string, Remembered>();
  listener.onChange(() => remembered.clear());

  async function ask(hash: Buffer, name: string): Promise<Caller | undefined> {
    const { changes } = listener;
    const [row] = await query.execute({ hash });
    if (!row) return undefined;
    const { expiresAt, ...caller } = row;
    onUse(caller.keyId);
    // What changed meanwhile may have been this key.
    if (listener.hears && listener.changes === changes) {
      if (remembered.size >= MOST_REMEMBERED) remembered.clear();
      const until = Math.min(Date.now() + LIFE_MS, expiresAt?.getTime() ?? Number.POSITIVE_INFINITY);
      remembered.set(name, { caller, until });
    }
    return caller;
  }

  return (key) => {
    if (!prefixOf(key)) return undefined;
    const hash = hashOf(key);
    const name = hash.toString("base64");
    const known = remembered.get(name);
    if (!known || known.until <= Date.now()) return ask(hash, name);
    onUse(known.caller.keyId);
    return known.caller;
  };
}
