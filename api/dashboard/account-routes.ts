// Routes for a user's own account: password, sessions and second factor (better-auth's plugin).
import { Type } from "@sinclair/typebox";
import { and, desc, eq, gt, sql } from "drizzle-orm";
import { Elysia } from "elysia";
import { dashboardSession } from "#core/db/schema/users.ts";
import { resourceMissing, signInRequired } from "#core/errors.ts";
import { toUnixSeconds } from "#core/model/unix-time.ts";
import { endLinks } from "#core/users/end-links.ts";
import { recordUser } from "#core/users/users.ts";
import type { Visitor } from "../access/authenticate.ts";
import { AUTH_PATH } from "../access/dashboard-sign-in.ts";
import type { RouteMacros } from "../http/route-macros.ts";
import type { Services } from "../services.ts";
import { answerWith, callLibrary, requireAuth, showUser, type Visit } from "./library.ts";
import { Code } from "./sign-in-routes.ts";
import { spendCode } from "./spend-code.ts";

const strict = { additionalProperties: false };
const password = Type.String({ minLength: 1, maxLength: 1_000, errorMessage: "your password" });
const Password = Type.Object({ password }, strict);
const ChangePassword = Type.Object(
  { currentPassword: password, newPassword: Type.String({ maxLength: 1_000, errorMessage: "a password" }) },
  strict,
);
const SessionId = Type.Object({ sessionId: Type.String({ maxLength: 100 }) });

/** Users of every role may change their own account. API keys are not allowed. */
const OWN = { permission: "read", userOnly: true } as const;

type Action = Parameters<typeof recordUser>[2];

/** @returns the session and its user; null while the second factor is missing */
const findSession = (services: Services, { request }: Visit) =>
  requireAuth(services, request).api.getSession({ headers: request.headers });

async function requireSession(services: Services, visit: Visit) {
  const found = await findSession(services, visit);
  if (!found) throw signInRequired("You are not signed in, or your session has expired. Sign in again.");
  return found;
}

function record({ database, config }: Services, user: { id: string; merchantId: string }, action: Action) {
  const by = { actor: { type: "user", id: user.id }, mode: config.mode } as const;
  return database.transaction((tx) => recordUser(tx, user, action, by));
}

/**
 * Changes the user's own account through better-auth, which checks their password, and records the change in the
 * audit log. Attempts are rate-limited as on sign-in, so that an unattended session cannot be used to guess the
 * password.
 */
async function change(services: Services, visit: Visitor, path: string, body: object, action?: Action) {
  const { user } = await requireSession(services, visit);
  await services.accessControl.bySignIn(visit, user.email);
  const { answered, cookies } = await callLibrary(services, visit, path, body);
  if (action) await record(services, user, action);
  // Ends sign-ins that wait for their second factor, because they were started with the old password.
  if (action === "user.set_password") await endLinks(services.database, user.id);
  const { totpURI: totpUri, backupCodes } = answered;
  return answerWith({ ...(totpUri ? { totpUri } : {}), ...(backupCodes ? { backupCodes } : {}) }, cookies);
}

/** Verifies a code of a pending sign-in or, for TOTP only, of an authenticator app that is being set up. */
async function verify(
  services: Services,
  visit: Visit,
  path: "totp" | "backup-code",
  body: { code: string },
) {
  const { database } = services;
  const before = path === "totp" ? (await findSession(services, visit))?.user : undefined;
  const { answered, cookies } = await callLibrary(services, visit, `/two-factor/verify-${path}`, body);
  const { user, token } = answered;
  if (before && !before.twoFactorEnabled) await record(services, before, "user.enable_two_factor");
  if (path === "totp" && !before && user && token && !(await spendCode(database, user.id, body.code))) {
    await database.delete(dashboardSession).where(eq(dashboardSession.token, token));
    throw signInRequired("This code has already been used. Sign in again with the next code.");
  }
  return answerWith(user ? showUser(user) : {}, cookies);
}

async function listSessions(services: Services, visit: Visit) {
  const { session } = await requireSession(services, visit);
  const rows = await services.database
    .select()
    .from(dashboardSession)
    .where(and(eq(dashboardSession.userId, session.userId), gt(dashboardSession.expiresAt, sql`now()`)))
    .orderBy(desc(dashboardSession.updatedAt))
    .limit(100);
  return {
    data: rows.map(({ id, ipAddress, userAgent, createdAt, updatedAt }) => ({
      id,
      current: id === session.id,
      ipAddress,
      userAgent,
      created: toUnixSeconds(createdAt),
      lastUsed: toUnixSeconds(updatedAt),
    })),
  };
}

async function endSession(services: Services, visit: Visit, sessionId: string) {
  const { session, user } = await requireSession(services, visit);
  const own = and(eq(dashboardSession.id, sessionId), eq(dashboardSession.userId, session.userId));
  const ended = await services.database.delete(dashboardSession).where(own).returning();
  if (ended.length === 0) throw resourceMissing("No such session.", "sessionId");
  await record(services, user, "user.end_session");
  return {};
}

export const accountRoutes = (services: Services, shared: RouteMacros) =>
  new Elysia({ normalize: false })
    .use(shared)
    .get(
      "/dashboard/account/sessions",
      ({ request, server }) => listSessions(services, { request, server }),
      {
        access: OWN,
      },
    )
    .delete(
      "/dashboard/account/sessions/:sessionId",
      ({ request, server, params }) => endSession(services, { request, server }, params.sessionId),
      { access: OWN, params: SessionId },
    )
    .post(
      `${AUTH_PATH}/change-password`,
      ({ request, server, set, body }) => {
        const asked = { ...body, revokeOtherSessions: true };
        return change(services, { request, server, set }, "/change-password", asked, "user.set_password");
      },
      { open: true, body: ChangePassword },
    )
    .post(
      `${AUTH_PATH}/two-factor/enable`,
      ({ request, server, set, body }) =>
        change(services, { request, server, set }, "/two-factor/enable", body),
      { open: true, body: Password },
    )
    .post(
      `${AUTH_PATH}/two-factor/disable`,
      ({ request, server, set, body }) =>
        change(services, { request, server, set }, "/two-factor/disable", body, "user.disable_two_factor"),
      { open: true, body: Password },
    )
    .post(
      `${AUTH_PATH}/two-factor/generate-backup-codes`,
      ({ request, server, set, body }) =>
        change(
          services,
          { request, server, set },
          "/two-factor/generate-backup-codes",
          body,
          "user.replace_backup_codes",
        ),
      { open: true, body: Password },
    )
    .post(
      `${AUTH_PATH}/two-factor/verify-totp`,
      ({ request, server, body }) => verify(services, { request, server }, "totp", body),
      { open: true, body: Code },
    )
    .post(
      `${AUTH_PATH}/two-factor/verify-backup-code`,
      ({ request, server, body }) => verify(services, { request, server }, "backup-code", body),
      { open: true, body: Code },
    );
