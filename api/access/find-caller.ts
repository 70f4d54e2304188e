// Finds the caller of a key, cached for a few seconds, so that most requests need no statement for it. A revoked key is
// evicted immediately, because the database notifies every process. Concurrent look-ups share a statement.
import { and, eq, gt, isNull, or, sql } from "drizzle-orm";
import { type Caller, hashKey, parsePrefix } from "#core/api-keys/api-keys.ts";
import { batched } from "#core/db/batch.ts";
import type { Database } from "#core/db/client.ts";
import { apiKey, merchant } from "#core/db/schema/merchants.ts";
import type { KeyListener } from "./listen-for-keys.ts";

/** The longest time that a missed notification can matter. */
const LIFE_MS = 5_000;
const MOST_REMEMBERED = 10_000;
/** How long suspect look-ups wait to be batched. */
const SUSPECTS_WAIT_MS = 100;

type Remembered = { caller: Caller; until: number };

/** Only the hash is compared, by an index: the timing of hash comparisons reveals nothing about a key. */
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
  /** The cached caller of a key; undefined if the database must be queried. */
  remembered(key: string): Caller | undefined;
  /**
   * Queries the database; undefined for an invalid key.
   * @param isSuspect whether the key comes from an address that sends too many unknown keys: it is then batched with
   * others
   */
  find(key: string, isSuspect: boolean): Promise<Caller | undefined>;
};

/**
 * @param listener notifies of changed keys; while it is disconnected, nothing is cached
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
  const askLater = batched(load, ({ name }) => name, SUSPECTS_WAIT_MS);
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
      // A change that was notified in the meantime may affect this key.
      if (listener.hears && listener.changes === changes) {
        if (remembered.size >= MOST_REMEMBERED) remembered.clear();
        const until = Math.min(Date.now() + LIFE_MS, expiresAt?.getTime() ?? Number.POSITIVE_INFINITY);
        remembered.set(name, { caller, until });
      }
      return caller;
    },
  };
}
