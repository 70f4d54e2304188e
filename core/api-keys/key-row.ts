// An API key as its owner sees it: everything except the key itself.
import type { apiKey } from "../db/schema/merchants.ts";

type Stored = typeof apiKey.$inferSelect;
/** `active`, `ending` (replaced, or created with an expiry; still valid until expiresAt), `expired` or `revoked`. */
export type KeyState = "active" | "ending" | "expired" | "revoked";
export type KeyRow = Omit<Stored, "hash"> & { state: KeyState };

/** A rejected key operation, with a message for the key's owner. */
export class KeysError extends Error {
  override readonly name = "KeysError";
}

export class UnknownKeyError extends KeysError {}

function deriveState({ revokedAt, expiresAt }: Stored, now: Date): KeyState {
  if (revokedAt) return "revoked";
  if (!expiresAt) return "active";
  return expiresAt <= now ? "expired" : "ending";
}

export function toKeyRow(row: Stored, now = new Date()): KeyRow {
  const { hash: _, ...shown } = row;
  return { ...shown, state: deriveState(row, now) };
}
