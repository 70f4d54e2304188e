// Operations of a merchant's admins on its users: invite by link, change the role, remove. At least one admin
// who can sign in always remains, and only admins with access to the live account can manage users with access
// to it. Neither rule applies to the gateway's operator (core/users/users.ts).
import { and, eq, inArray, ne, sql } from "drizzle-orm";
import type { Database, Transaction } from "#core/db/client.ts";
import { merchant } from "#core/db/schema/merchants.ts";
import { dashboardAccount, dashboardUser, type Role } from "#core/db/schema/users.ts";
import { endLinksAround } from "#core/users/end-links.ts";
import { createPasswordLink, type PasswordLink } from "#core/users/password-link.ts";
import {
  type By,
  insertUser,
  recordUser,
  UnknownUserError,
  type UserRow,
  UsersError,
} from "#core/users/users.ts";

/** Whether a user has set a password. Until then, the user is only invited. */
const hasPassword = sql<boolean>`exists (select from ${dashboardAccount} where ${dashboardAccount.userId} = ${dashboardUser.id})`;

/** More than a team needs, but few enough to show on one page. */
const MOST_MEMBERS = 200;

/** An admin whose team is locked against concurrent changes. */
export type Manager = Pick<UserRow, "merchantId" | "liveMerchantId">;

/** The caller is no longer an admin. */
export class NotAdminError extends UsersError {}

export type Member = UserRow & { isInvited: boolean };

const columns = { user: dashboardUser, isInvited: sql<boolean>`not ${hasPassword}` };

export async function listMembers(database: Database, merchantId: string): Promise<Member[]> {
  const rows = await database
    .select(columns)
    .from(dashboardUser)
    .where(eq(dashboardUser.merchantId, merchantId))
    .orderBy(dashboardUser.createdAt, dashboardUser.id);
  return rows.map(({ user, isInvited }) => ({ ...user, isInvited }));
}

/**
 * Locks the team, so that two admins cannot remove each other concurrently. An admin who loses the role while
 * waiting for the lock is rejected.
 * @throws NotAdminError
 */
export async function lockTeam(tx: Transaction, managerId: string): Promise<UserRow> {
  const isManager = eq(dashboardUser.id, managerId);
  const team = tx.select({ id: dashboardUser.merchantId }).from(dashboardUser).where(isManager);
  await tx.select({ id: merchant.id }).from(merchant).where(inArray(merchant.id, team)).for("no key update");
  const [manager] = await tx.select().from(dashboardUser).where(isManager).for("share");
  if (manager?.role !== "admin") throw new NotAdminError("You are no longer an admin of this account.");
  return manager;
}

export type Invitation = { email: string; name: string; role: Role };

/** @throws UsersError if a user with this address exists, or the account has too many users */
export async function inviteMember(
  tx: Transaction,
  { merchantId, liveMerchantId }: Manager,
  invitation: Invitation,
  by: By,
): Promise<{ member: Member; link: PasswordLink }> {
  if ((await tx.$count(dashboardUser, eq(dashboardUser.merchantId, merchantId))) >= MOST_MEMBERS)
    throw new UsersError(`An account can have at most ${MOST_MEMBERS} users. Remove one first.`);
  const made = await insertUser(tx, { ...invitation, merchantId, liveMerchantId });
  if (!made) throw new UsersError("A user with this email address already exists.");
  const { role } = made;
  await recordUser(tx, made, "user.invite", by, { role: { from: null, to: role } });
  const link = await createPasswordLink(tx, made, "invitation", by);
  return { member: { ...made, isInvited: true }, link };
}

/** @throws UnknownUserError; UsersError for the last admin */
export async function changeRole(
  tx: Transaction,
  manager: Manager,
  id: string,
  role: Role,
  by: By,
): Promise<Member> {
  const member = await findMember(tx, manager, id);
  if (member.role === role) return member;
  await requireAnotherAdmin(tx, member);
  await endLinksAround(tx, member);
  await tx.update(dashboardUser).set({ role, updatedAt: new Date() }).where(eq(dashboardUser.id, id));
  await recordUser(tx, member, "user.change_role", by, { role: { from: member.role, to: role } });
  return { ...member, role };
}

/** Also ends all sessions of the user. @throws UnknownUserError; UsersError for the last admin */
export async function removeMember(tx: Transaction, manager: Manager, id: string, by: By): Promise<void> {
  const member = await findMember(tx, manager, id);
  await requireAnotherAdmin(tx, member);
  await endLinksAround(tx, member);
  await tx.delete(dashboardUser).where(eq(dashboardUser.id, id));
  await recordUser(tx, member, "user.delete", by);
}

/** Creates a link for a lost password, or a new link for an invitation. @throws UnknownUserError */
export async function createMemberLink(
  tx: Transaction,
  manager: Manager,
  id: string,
  by: By,
): Promise<PasswordLink> {
  return createPasswordLink(tx, await findMember(tx, manager, id), "password", by);
}

/** @throws UnknownUserError; UsersError if the user has access to a live account and the manager does not */
async function findMember(
  tx: Transaction,
  { merchantId, liveMerchantId }: Manager,
  id: string,
): Promise<Member> {
  const [found] = await tx
    .select(columns)
    .from(dashboardUser)
    .where(and(eq(dashboardUser.id, id), eq(dashboardUser.merchantId, merchantId)));
  if (!found) throw new UnknownUserError("No such user in this account.");
  const live = found.user.liveMerchantId;
  if (live !== null && live !== liveMerchantId)
    throw new UsersError(
      "This user has access to live payments. Only an admin who also has it can manage this user.",
    );
  return { ...found.user, isInvited: found.isInvited };
}

async function requireAnotherAdmin(tx: Transaction, { id, merchantId, role }: Member): Promise<void> {
  if (role !== "admin") return;
  const [other] = await tx
    .select({ id: dashboardUser.id })
    .from(dashboardUser)
    .where(
      and(
        eq(dashboardUser.merchantId, merchantId),
        eq(dashboardUser.role, "admin"),
        ne(dashboardUser.id, id),
        hasPassword,
      ),
    )
    .limit(1);
  if (!other)
    throw new UsersError("This is the last admin of the account. Make another user an admin first.");
}
