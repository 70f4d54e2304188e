// Dashboard sign-in: better-auth with e-mail address and password, and sessions in the gateway's database.
import { drizzleAdapter } from "better-auth/adapters/drizzle";
import { betterAuth } from "better-auth/minimal";
import { twoFactor } from "better-auth/plugins/two-factor";
import { eq } from "drizzle-orm";
import type { Config } from "#core/config/config.ts";
import type { Database } from "#core/db/client.ts";
import {
  dashboardAccount,
  dashboardRateLimit,
  dashboardSession,
  dashboardTwoFactor,
  dashboardUser,
  dashboardVerification,
} from "#core/db/schema/users.ts";
import { newId } from "#core/ids.ts";
import type { Logger } from "#core/log.ts";
import type { Mode } from "#core/model/mode.ts";
import { endLinks } from "#core/users/end-links.ts";
import { MAX_PASSWORD, MIN_PASSWORD, recordUser } from "#core/users/users.ts";

export const AUTH_PATH = "/dashboard/auth";
/** The gateway sets this header before it calls better-auth. It replaces a header of the same name in the request. */
export const CLIENT_ADDRESS = "x-gateway-client";

const MINUTE = 60;
const HOUR = 3_600;
/** A working day. The session of an active user is extended. */
const SESSION_SECONDS = 12 * HOUR;

const schema = {
  user: dashboardUser,
  session: dashboardSession,
  account: dashboardAccount,
  verification: dashboardVerification,
  rateLimit: dashboardRateLimit,
  twoFactor: dashboardTwoFactor,
};

export type DashboardConfig = NonNullable<Config["dashboard"]>;

/** @param mode of the gateway's own network. Its audit log records the operations of users. */
export function createAuth(database: Database, dashboard: DashboardConfig, mode: Mode, log: Logger) {
  const { origin, trustedOrigins, secret, signInsPerMinute } = dashboard;
  return betterAuth({
    appName: "gateway",
    baseURL: origin,
    basePath: AUTH_PATH,
    secret,
    database: drizzleAdapter(database, { provider: "pg", schema, transaction: true }),
    // The gateway's operator creates users (core/users).
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: MIN_PASSWORD,
      maxPasswordLength: MAX_PASSWORD,
      revokeSessionsOnPasswordReset: true,
      async onPasswordReset({ user: { id } }) {
        const [user] = await database
          .select({ id: dashboardUser.id, merchantId: dashboardUser.merchantId })
          .from(dashboardUser)
          .where(eq(dashboardUser.id, id));
        if (!user) return;
        await endLinks(database, id);
        const actor = { type: "user", id } as const;
        await database.transaction((tx) => recordUser(tx, user, "user.set_password", { actor, mode }));
      },
    },
    user: {
      additionalFields: {
        merchantId: { type: "string", required: true, input: false },
        liveMerchantId: { type: "string", required: false, input: false },
        role: { type: "string", required: true, input: false },
      },
    },
    verification: { storeIdentifier: "hashed" },
    plugins: [twoFactor({ issuer: new URL(origin).host })],
    session: { expiresIn: SESSION_SECONDS, updateAge: HOUR },
    trustedOrigins,
    rateLimit: {
      enabled: true,
      storage: "database",
      customRules: Object.fromEntries(
        ["/sign-in/email", "/reset-password", "/two-factor/*"].map((path) => [
          path,
          { window: MINUTE, max: signInsPerMinute },
        ]),
      ),
    },
    advanced: {
      cookiePrefix: "gateway",
      useSecureCookies: origin.startsWith("https:"),
      defaultCookieAttributes: { httpOnly: true, sameSite: "strict", path: "/" },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS] },
      database: { generateId: ({ model }) => newId(model) },
    },
    telemetry: { enabled: false },
    // better-auth's log lines contain e-mail addresses, so only the part before the colon is logged.
    logger: {
      level: "error",
      log: (_level, message) => log.warn({ cause: message.split(":", 1)[0] }, "dashboard sign-in"),
    },
  });
}

export type Auth = ReturnType<typeof createAuth>;
