// The permissions of API keys and user roles. The dashboard uses them to hide actions; only the API enforces them.
import type { Access } from "../db/schema/merchants.ts";
import type { Role } from "../db/schema/users.ts";

/**
 * The permission that an operation requires. `release` covers operations that let funds leave the escrow or fulfill a
 * condition for that: release, refund, delivery proof and shipment (which allow a later release by timeout, by the
 * payer or by the contract), completing a milestone, a dispute (whose expiry may refund the payer) and its resolution,
 * and retrying a payout. docs/api-keys.md lists every operation.
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
