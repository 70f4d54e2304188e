// Dashboard users and their sessions. These are the tables that better-auth reads and writes, with its column names.
import { bigint, boolean, index, integer, text } from "drizzle-orm/pg-core";
import { merchantKey, moment, now } from "./columns.ts";
import { gatewaySchema } from "./gateway-schema.ts";
import { merchantId } from "./merchants.ts";

/** What a user is allowed to do (core/api-keys/permissions.ts). */
export type Role = "admin" | "operator" | "read_only";

/** A user acts for one merchant. */
export const dashboardUser = gatewaySchema.table(
  "dashboard_user",
  {
    id: text().primaryKey(),
    name: text().notNull(),
    email: text().notNull().unique(),
    emailVerified: boolean().notNull().default(false),
    image: text(),
    merchantId: merchantId(),
    /**
     * The id of the same merchant on the live network, which has its own database. Null if the user has only test data.
     */
    liveMerchantId: merchantKey(),
    role: text().$type<Role>().notNull().default("admin"),
    twoFactorEnabled: boolean().notNull().default(false),
    createdAt: now(),
    updatedAt: now(),
  },
  (t) => [index().on(t.merchantId)],
);

const userId = () =>
  text()
    .notNull()
    .references(() => dashboardUser.id, { onDelete: "cascade" });

export const dashboardSession = gatewaySchema.table(
  "dashboard_session",
  {
    id: text().primaryKey(),
    /** The token is useless without its signature. The signing secret is not in the database. */
    token: text().notNull().unique(),
    userId: userId(),
    expiresAt: moment().notNull(),
    ipAddress: text(),
    userAgent: text(),
    createdAt: now(),
    updatedAt: now(),
  },
  (t) => [index().on(t.userId), index().on(t.expiresAt)],
);

/** How a user signs in. Users sign in by password (`credential`); the other columns are for identity providers. */
export const dashboardAccount = gatewaySchema.table(
  "dashboard_account",
  {
    id: text().primaryKey(),
    accountId: text().notNull(),
    providerId: text().notNull(),
    userId: userId(),
    accessToken: text(),
    refreshToken: text(),
    idToken: text(),
    accessTokenExpiresAt: moment(),
    refreshTokenExpiresAt: moment(),
    scope: text(),
    /** A scrypt hash with its own salt. */
    password: text(),
    createdAt: now(),
    updatedAt: now(),
  },
  (t) => [index().on(t.userId)],
);

/** Links that set a password, and second factors that are still required. Identifiers are stored as SHA-256 hashes. */
export const dashboardVerification = gatewaySchema.table(
  "dashboard_verification",
  {
    id: text().primaryKey(),
    identifier: text().notNull(),
    /** For a link or a second factor, the user's id. */
    value: text().notNull(),
    expiresAt: moment().notNull(),
    createdAt: now(),
    updatedAt: now(),
  },
  (t) => [index().on(t.identifier), index().on(t.value), index().on(t.expiresAt)],
);

/** A user's second factor: an authenticator app, and backup codes in case the app is lost. */
export const dashboardTwoFactor = gatewaySchema.table("dashboard_two_factor", {
  id: text().primaryKey(),
  userId: userId().unique(),
  /** Encrypted with the dashboard's secret, like the backup codes. */
  secret: text().notNull(),
  backupCodes: text().notNull(),
  /** Whether the user has entered a correct code once. Until then, signing in does not require a code. */
  verified: boolean().notNull().default(false),
  failedVerificationCount: integer().notNull().default(0),
  lockedUntil: moment(),
});

/** Sign-in attempts by IP address, counted across processes. */
export const dashboardRateLimit = gatewaySchema.table(
  "dashboard_rate_limit",
  {
    id: text().primaryKey(),
    key: text().notNull().unique(),
    count: integer().notNull(),
    /** Unix milliseconds. */
    lastRequest: bigint({ mode: "number" }).notNull(),
  },
  (t) => [index().on(t.lastRequest)],
);
