// Finds the caller that belongs to a key. Callers are cached for a few seconds, so that most requests require no
// statement. A revoked key is evicted immediately, because the database notifies every process. Concurrent
// look-ups share a statement.
import { and, eq, gt, isNull, or, sql } from "drizzle-orm";
import { type Caller, hashKey, parsePrefix } from "#core/api-keys/api-keys.ts";
import { batched } from "#core/db/batch.ts";
import type { Database } from "#core/db/client.ts";
import { apiKey, merchant } from "#core/db/schema/merchants.ts";
import type { KeyListener } from "./listen-for-keys.ts";

/** Lifetime of a cached caller, which limits the effect of a missed notification. */
const LIFE_MS = 5_000;
const MOST_REMEMBERED = 10_000;
/** How long look-ups from suspect addresses are collected into a batch. */
const SUSPECTS_WAIT_MS = 100;

type Remembered = { caller: Caller; until: number };

/** The key is looked up by its hash in an index. The timing of hash comparisons reveals nothing about a key. */
function prepareLookup(database: Database) {
  return database
    .select({
      hash: apiKey.hash,
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
        sql`${apiKey.hash} = any(${sql.placeholder("hashes")})`,
        isNull(apiKey.revokedAt),
        or(isNull(apiKey.expiresAt), gt(apiKey.expiresAt, sql`now()`)),
      ),
    )
    .prepare("find_caller");
}

const encodeHash = (hash: Buffer): string => hash.toString("base64");

export type CallerLookup = {
  /** Returns the cached caller of a key, or undefined if the database must be queried. */
  remembered(key: string): Caller | undefined;
  /**
   * Queries the database. Returns undefined for an invalid key.
   * @param isSuspect whether the key comes from an address that sends too many unknown keys; its look-up is then
   * delayed and batched with others
   */
  find(key: string, isSuspect: boolean): Promise<Caller | undefined>;
};

/**
 * @param listener notifies of changed keys; callers are not cached while it is disconnected
 * @param onUse called with the id of every key that was used
 */
export function createCallerLookup(
  database: Database,
  listener: KeyListener,
  onUse: (keyId: string) => void,
): CallerLookup {
  const query = prepareLookup(database);
  const load = async (names: string[]) =>
    (await query.execute({ hashes: names.map((name) => Buffer.from(name, "base64")) })).map(
      ({ hash, ...row }) => ({ name: encodeHash(hash), ...row }),
    );
  const ask = batched(load, ({ name }) => name);
  const askLater = batched(load, ({ name }) => name, { waitMs: SUSPECTS_WAIT_MS });
  const remembered = new Map<string, Remembered>();
  listener.onChange(() => remembered.clear());

  return {
    remembered(key) {
      if (!parsePrefix(key)) return undefined;
      const known = remembered.get(encodeHash(hashKey(key)));
      if (!known || known.until <= Date.now()) return undefined;
      onUse(known.caller.keyId);
      return known.caller;
    },
    async find(key, isSuspect) {
      if (!parsePrefix(key)) return undefined;
      const { changes } = listener;
      const row = await (isSuspect ? askLater : ask)(encodeHash(hashKey(key)));
      if (!row) return undefined;
      const { name, expiresAt, ...caller } = row;
      onUse(caller.keyId);
      // A change notified during the query may affect this key.
      if (listener.hears && listener.changes === changes) {
        if (remembered.size >= MOST_REMEMBERED) remembered.clear();
        const until = Math.min(Date.now() + LIFE_MS, expiresAt?.getTime() ?? Number.POSITIVE_INFINITY);
        remembered.set(name, { caller, until });
      }
      return caller;
    },
  };
}
