// Signing in to the dashboard: better-auth, with e-mail and password, and sessions in the gateway's own database.

import { drizzleAdapter } from "better-auth/adapters/drizzle";
import { betterAuth } from "better-auth/minimal";
import type { Config } from "#core/config/config.ts";
import type { Database } from "#core/db/client.ts";
import {
  dashboardAccount,
  dashboardRateLimit,
  dashboardSession,
  dashboardUser,
  dashboardVerification,
} from "#core/db/schema/users.ts";
import { newId } from "#core/ids.ts";
import type { Logger } from "#core/log.ts";
import { MAX_PASSWORD, MIN_PASSWORD } from "#core/users/users.ts";

export const AUTH_PATH = "/dashboard/auth";
/** Set by us on the way to the library, over whatever the visitor sent. */
export const CLIENT_ADDRESS = "x-gateway-client";

const HOUR = 3_600;
/** A working day; whoever works on is not signed out in the middle of it. */
const SESSION_SECONDS = 12 * HOUR;

const schema = {
  user: dashboardUser,
  session: dashboardSession,
  account: dashboardAccount,
  verification: dashboardVerification,
  rateLimit: dashboardRateLimit,
};

export type DashboardConfig = NonNullable<Config["dashboard"]>;

export function createAuth(database: Database, dashboard: DashboardConfig, log: Logger) {
  const { origin, trustedOrigins, secret, signInsPerMinute } = dashboard;
  return betterAuth({
    appName: "gateway",
    baseURL: origin,
    basePath: AUTH_PATH,
    secret,
    database: drizzleAdapter(database, { provider: "pg", schema, transaction: true }),
    // Users are made by whoever runs the gateway (core/users).
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: MIN_PASSWORD,
      maxPasswordLength: MAX_PASSWORD,
      revokeSessionsOnPasswordReset: true,
    },
    user: {
      additionalFields: {
        merchantId: { type: "string", required: true, input: false },
        liveMerchantId: { type: "string", required: false, input: false },
      },
    },
    session: { expiresIn: SESSION_SECONDS, updateAge: HOUR },
    trustedOrigins,
    rateLimit: {
      enabled: true,
      storage: "database",
      customRules: { "/sign-in/email": { window: 60, max: signInsPerMinute } },
    },
    advanced: {
      cookiePrefix: "gateway",
      useSecureCookies: origin.startsWith("https:"),
      defaultCookieAttributes: { httpOnly: true, sameSite: "strict", path: "/" },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS] },
      database: { generateId: ({ model }) => newId(model) },
    },
    telemetry: { enabled: false },
    // Its own lines name addresses of people; what matters is the answer.
    logger: {
      level: "error",
      log: (_level, message) => log.warn({ cause: message.split(":", 1)[0] }, "dashboard sign-in"),
    },
  });
}

export type Auth = ReturnType<typeof createAuth>;
