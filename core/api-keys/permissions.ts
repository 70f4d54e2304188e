// What an API key's access and a user's role allow. The dashboard offers by it; the API alone decides.
import type { Access } from "../db/schema/merchants.ts";
import type { Role } from "../db/schema/users.ts";

/**
 * The permission that an operation requires. `release`: it lets funds leave the escrow, or fulfils a condition for
 * that: release, refund, delivery proof and shipment (time, the payer or the contract may release on them), completion
 * of a milestone, a dispute (its window's end may refund the payer) and its resolution, retry of a payout.
 * docs/api-keys.md lists every operation.
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
