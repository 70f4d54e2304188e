// Dashboard users. Each user belongs to one merchant. The gateway's operator creates, changes and removes users; there
// is no self-registration.
import { hashPassword } from "better-auth/crypto";
import { eq } from "drizzle-orm";
import { OPERATOR } from "../api-keys/record-key.ts";
import type { AuditAction } from "../audit/actions.ts";
import { type Actor, recordAudit } from "../audit/record-audit.ts";
import type { Database, Transaction } from "../db/client.ts";
import { dashboardAccount, dashboardSession, dashboardUser, type Role } from "../db/schema/users.ts";
import { newId } from "../ids.ts";
import type { Changes } from "../model/changes.ts";
import type { Mode } from "../model/mode.ts";
import { endLinks, endLinksAround } from "./end-links.ts";

export const MIN_PASSWORD = 12;
export const MAX_PASSWORD = 128;

/** A rejected user operation, with a message for the gateway's operator. */
export class UsersError extends Error {
  override readonly name = "UsersError";
}

export class UnknownUserError extends UsersError {}

export type NewUser = {
  email: string;
  name: string;
  password: string;
  merchantId: string;
  role?: Role;
  /** The id of the same merchant on the live network. */
  liveMerchantId?: string | undefined;
};

export type UserRow = typeof dashboardUser.$inferSelect;

/** The actor for the audit log, and the network whose log shows the entry. */
export type By = { actor: Actor; mode: Mode | null };

const BY_OPERATOR: By = { actor: OPERATOR, mode: null };

/** Normalizes an email address for lookups. @throws UsersError if the text is not an email address */
export function normalizeEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (!/^\S+@\S+$/.test(email)) throw new UsersError(`'${email}' is not a valid email address.`);
  return email;
}

function requirePassword(password: string): void {
  if (password.length >= MIN_PASSWORD && password.length <= MAX_PASSWORD) return;
  throw new UsersError(`A password must have ${MIN_PASSWORD} to ${MAX_PASSWORD} characters.`);
}

/** Creates a user who cannot sign in yet. @returns undefined if a user with this address exists */
export async function insertUser(
  tx: Transaction,
  {
    email,
    name,
    merchantId,
    role = "admin",
    liveMerchantId = null,
  }: Omit<NewUser, "password" | "liveMerchantId"> & {
    liveMerchantId?: string | null | undefined;
  },
): Promise<UserRow | undefined> {
  const values = { id: newId("user"), email: normalizeEmail(email), name, merchantId, liveMerchantId, role };
  const [made] = await tx
    .insert(dashboardUser)
    .values(values)
    .onConflictDoNothing({ target: dashboardUser.email })
    .returning();
  return made;
}

/** @param hash the password's hash */
export async function insertPassword(tx: Transaction, userId: string, hash: string): Promise<void> {
  const credential = { accountId: userId, providerId: "credential", userId, password: hash };
  await tx.insert(dashboardAccount).values({ id: newId("account"), ...credential });
}

/** @returns undefined if a user with this address exists */
export async function createUser(database: Database, user: NewUser): Promise<UserRow | undefined> {
  requirePassword(user.password);
  const password = await hashPassword(user.password);
  return database.transaction(async (tx) => {
    const made = await insertUser(tx, user);
    if (!made) return undefined;
    await insertPassword(tx, made.id, password);
    await recordUser(tx, made, "user.create", BY_OPERATOR);
    return made;
  });
}

/** Sets a user's password and ends all their sessions. @throws UnknownUserError if the user does not exist */
export async function setPassword(database: Database, email: string, password: string): Promise<UserRow> {
  requirePassword(password);
  const hash = await hashPassword(password);
  return database.transaction(async (tx) => {
    const user = await lockUser(tx, email);
    const changed = await tx
      .update(dashboardAccount)
      .set({ password: hash, updatedAt: new Date() })
      .where(eq(dashboardAccount.userId, user.id))
      .returning({ id: dashboardAccount.id });
    // A user with a pending invitation has no password yet.
    if (changed.length === 0) await insertPassword(tx, user.id, hash);
    await tx.delete(dashboardSession).where(eq(dashboardSession.userId, user.id));
    await endLinks(tx, user.id);
    await recordUser(tx, user, "user.set_password", BY_OPERATOR);
    return user;
  });
}

/** @throws UnknownUserError if the user does not exist */
export async function setRole(database: Database, email: string, role: Role): Promise<UserRow> {
  return database.transaction(async (tx) => {
    const user = await lockUser(tx, email);
    await tx.update(dashboardUser).set({ role, updatedAt: new Date() }).where(eq(dashboardUser.id, user.id));
    if (user.role !== role) await endLinksAround(tx, user);
    const changes = { role: { from: user.role, to: role } };
    await recordUser(tx, user, "user.change_role", BY_OPERATOR, changes);
    return { ...user, role };
  });
}

/**
 * Removes a user and all their sessions. The audit log keeps their history.
 * @throws UnknownUserError if the user does not exist
 */
export async function deleteUser(database: Database, email: string): Promise<UserRow> {
  return database.transaction(async (tx) => {
    const user = await lockUser(tx, email);
    await endLinksAround(tx, user);
    await tx.delete(dashboardUser).where(eq(dashboardUser.id, user.id));
    await recordUser(tx, user, "user.delete", BY_OPERATOR);
    return user;
  });
}

export const listUsers = (database: Database): Promise<UserRow[]> =>
  database.select().from(dashboardUser).orderBy(dashboardUser.createdAt);

/** @throws UnknownUserError if the user does not exist */
export async function lockUser(tx: Transaction, email: string): Promise<UserRow> {
  const address = normalizeEmail(email);
  const [user] = await tx.select().from(dashboardUser).where(eq(dashboardUser.email, address)).for("update");
  if (!user) throw new UnknownUserError(`No such user: '${address}'.`);
  return user;
}

/** Records a change of a user in the audit log, by the user's id, because email addresses are personal data. */
export const recordUser = (
  tx: Transaction,
  { id, merchantId }: Pick<UserRow, "id" | "merchantId">,
  action: AuditAction & `user.${string}`,
  { actor, mode }: By,
  changes?: Changes,
): Promise<void> =>
  recordAudit(tx, [
    { merchantId, mode, actor, action, resourceId: id, metadata: {}, ...(changes ? { changes } : {}) },
  ]);
