// An API key as its owner sees it: everything but the key.
import type { apiKey } from "../db/schema/merchants.ts";

type Stored = typeof apiKey.$inferSelect;
/** `active`, `ending` (replaced, or made for a time; still valid until expiresAt), `expired` or `revoked`. */
export type KeyState = "active" | "ending" | "expired" | "revoked";
export type KeyRow = Omit<Stored, "hash"> & { state: KeyState };

/** What cannot be done with a key, in words for its owner. */
export class KeysError extends Error {
  override readonly name = "KeysError";
}

export class UnknownKeyError extends KeysError {}

function stateOf({ revokedAt, expiresAt }: Stored, now: Date): KeyState {
  if (revokedAt) return "revoked";
  if (!expiresAt) return "active";
  return expiresAt <= now ? "expired" : "ending";
}

export function shownOf(row: Stored, now = new Date()): KeyRow {
  const { hash: _, ...shown } = row;
  return { ...shown, state: stateOf(row, now) };
}
