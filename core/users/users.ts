// The people who may sign in to the dashboard, each for one merchant: made, changed and removed by whoever runs the
// gateway. Nobody signs up by himself.
import { hashPassword } from "better-auth/crypto";
import { eq } from "drizzle-orm";
import { OPERATOR } from "../api-keys/record-key.ts";
import { recordAudit } from "../audit/record-audit.ts";
import type { Database, Transaction } from "../db/client.ts";
import { dashboardAccount, dashboardSession, dashboardUser } from "../db/schema/users.ts";
import { newId } from "../ids.ts";

export const MIN_PASSWORD = 12;
export const MAX_PASSWORD = 128;

/** What cannot be done with a user, in words for whoever runs the gateway. */
export class UsersError extends Error {
  override readonly name = "UsersError";
}

export class UnknownUserError extends UsersError {}

export type NewUser = {
  email: string;
  name: string;
  password: string;
  merchantId: string;
  /** The same merchant's id on the live network beside this one. */
  liveMerchantId?: string | undefined;
};

export type UserRow = typeof dashboardUser.$inferSelect;

/** As people write it, and as it is looked up. */
const normalized = (email: string): string => email.trim().toLowerCase();

function requirePassword(password: string): void {
  if (password.length >= MIN_PASSWORD && password.length <= MAX_PASSWORD) return;
  throw new UsersError(`A password has ${MIN_PASSWORD} to ${MAX_PASSWORD} characters.`);
}

/** @returns undefined if there is a user with this address */
export async function createUser(database: Database, user: NewUser): Promise<UserRow | undefined> {
  requirePassword(user.password);
  const email = normalized(user.email);
  if (!/^\S+@\S+$/.test(email)) throw new UsersError(`'${email}' is no e-mail address.`);
  const password = await hashPassword(user.password);
  const { name, merchantId, liveMerchantId = null } = user;
  return database.transaction(async (tx) => {
    const [made] = await tx
      .insert(dashboardUser)
      .values({ id: newId("user"), email, name, merchantId, liveMerchantId })
      .onConflictDoNothing({ target: dashboardUser.email })
      .returning();
    if (!made) return undefined;
    const credential = { accountId: made.id, providerId: "credential", userId: made.id, password };
    await tx.insert(dashboardAccount).values({ id: newId("account"), ...credential });
    await record(tx, made, "create");
    return made;
  });
}

/** Gives a user another password and ends all his sessions. @throws UnknownUserError if there is no such user */
export async function setPassword(database: Database, email: string, password: string): Promise<UserRow> {
  requirePassword(password);
  const hash = await hashPassword(password);
  return database.transaction(async (tx) => {
    const user = await lockUser(tx, email);
    await tx
      .update(dashboardAccount)
      .set({ password: hash, updatedAt: new Date() })
      .where(eq(dashboardAccount.userId, user.id));
    await tx.delete(dashboardSession).where(eq(dashboardSession.userId, user.id));
    await record(tx, user, "set_password");
    return user;
  });
}

/** Removes a user with his sessions; what he did stays in the audit log. @throws UnknownUserError if there is none */
export async function deleteUser(database: Database, email: string): Promise<UserRow> {
  return database.transaction(async (tx) => {
    const user = await lockUser(tx, email);
    await tx.delete(dashboardUser).where(eq(dashboardUser.id, user.id));
    await record(tx, user, "delete");
    return user;
  });
}

export const listUsers = (database: Database): Promise<UserRow[]> =>
  database.select().from(dashboardUser).orderBy(dashboardUser.createdAt);

async function lockUser(tx: Transaction, email: string): Promise<UserRow> {
  const [user] = await tx
    .select()
    .from(dashboardUser)
    .where(eq(dashboardUser.email, normalized(email)))
    .for("update");
  if (!user) throw new UnknownUserError(`There is no user '${normalized(email)}'.`);
  return user;
}

const record = (tx: Transaction, { id, merchantId }: UserRow, verb: string): Promise<void> =>
  recordAudit(tx, [
    { merchantId, mode: null, actor: OPERATOR, action: `user.${verb}`, resourceId: id, metadata: {} },
  ]);
