// The permissions of API keys and user roles. The dashboard hides actions by them; only the API enforces them.
import type { Access } from "../db/schema/merchants.ts";
import type { Role } from "../db/schema/users.ts";

/**
 * The permission that an operation requires. `release` covers operations that let funds leave the escrow or fulfil a
 * condition for it: release, refund, delivery proof and shipment (after which time, the payer or the contract may
 * release), completing a milestone, a dispute (whose expiry may refund the payer) and its resolution, and retrying a
 * payout. docs/api-keys.md lists every operation.
 */
export type Permission = "read" | "write" | "release" | "configure";

export const KEY_PERMISSIONS: Record<Access, readonly Permission[]> = {
  full: ["read", "write", "release", "configure"],
  no_release: ["read", "write", "configure"],
  read_only: ["read"],
};

export const ROLE_PERMISSIONS: Record<Role, readonly Permission[]> = {
  admin: ["read", "write", "release", "configure"],
  operator: ["read", "write", "release"],
  read_only: ["read"],
};
