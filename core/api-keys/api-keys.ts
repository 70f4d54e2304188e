// API keys of the form `sk_{environment}_{unique_identifier}` (spec, "Authentication"). Only the owner knows the
// complete key.
import { createHash, randomBytes } from "node:crypto";
import type { Address } from "viem";
import type { Database, Transaction } from "../db/client.ts";
import { type Access, apiKey } from "../db/schema/merchants.ts";
import type { Role } from "../db/schema/users.ts";
import { forbidden } from "../errors.ts";
import { newId } from "../ids.ts";
import type { Mode } from "../model/mode.ts";
import { KEY_PERMISSIONS, type Permission, ROLE_PERMISSIONS } from "./permissions.ts";

const PREFIXES = { sk_test_: "test", sk_hackathon_: "test", sk_live_: "live" } as const;
export type KeyPrefix = keyof typeof PREFIXES;

const KEY_PATTERN = /^(sk_test_|sk_hackathon_|sk_live_)[A-Za-z0-9_-]{16,128}$/;

/**
 * The merchant that an API key or a dashboard user acts for, and the permissions of the key or user. `account` is the
 * address that receives the merchant's funds.
 */
export type Caller = {
  /** The id of the API key or of the dashboard user. */
  keyId: string;
  merchantId: string;
  account: Address;
  mode: Mode;
} & ({ isUser?: never; access: Access } | { isUser: true; role: Role });

const ACCESS_REFUSALS: Record<Exclude<Access, "full">, string> = {
  no_release:
    "This API key is restricted: it cannot perform operations that may release or return funds. Use a key with full access.",
  read_only: "This API key is restricted to read-only access. Use a key that can make changes.",
};

const ROLE_REFUSALS: Record<Exclude<Role, "admin">, string> = {
  operator: "The operator role cannot manage the team, API keys or webhooks. Ask an admin of this account.",
  read_only: "Your role is read-only. Ask an admin of this account for another role.",
};

/** @throws ServiceError 403 if the key's access or the user's role does not include the permission */
export function requirePermission(caller: Caller, permission: Permission): void {
  if (caller.isUser) {
    const { role } = caller;
    if (role !== "admin" && !ROLE_PERMISSIONS[role].includes(permission))
      throw forbidden(ROLE_REFUSALS[role]);
    return;
  }
  const { access } = caller;
  if (access !== "full" && !KEY_PERMISSIONS[access].includes(permission))
    throw forbidden(ACCESS_REFUSALS[access]);
}

export const hashKey = (key: string): Buffer => createHash("sha256").update(key).digest();

/** Generates a key with 256 random bits. */
export const newKey = (prefix: KeyPrefix): string => `${prefix}${randomBytes(32).toString("base64url")}`;

export const parsePrefix = (key: string): KeyPrefix | undefined =>
  KEY_PATTERN.exec(key)?.[1] as KeyPrefix | undefined;

/** Returns the masked key that lists show so that the owner recognizes it, such as `sk_test_…1a2b`. */
const maskKey = (key: string, prefix: KeyPrefix): string => `${prefix}…${key.slice(-4)}`;

export type KeyFacts = { name?: string | undefined; access?: Access; expiresAt?: Date | undefined };

/**
 * Stores a key that acts for the merchant's account. An existing key is left unchanged.
 * @returns the new key's row; undefined if the key already existed
 */
export async function storeKey(
  database: Database | Transaction,
  merchantId: string,
  key: string,
  facts: KeyFacts = {},
) {
  const prefix = parsePrefix(key);
  if (!prefix) throw new Error("Invalid API key: expected the form sk_test_…, sk_live_… or sk_hackathon_….");
  const [row] = await database
    .insert(apiKey)
    .values({
      id: newId("key"),
      merchantId,
      mode: PREFIXES[prefix],
      hash: hashKey(key),
      hint: maskKey(key, prefix),
      ...facts,
    })
    .onConflictDoNothing({ target: apiKey.hash })
    .returning();
  return row;
}
