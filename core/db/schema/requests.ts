// Data about requests that API processes store: responses by idempotency key, rate limit counters, and the request log
// of a merchant.
import { bigint, index, integer, primaryKey, text, varchar } from "drizzle-orm/pg-core";
import type { Mode } from "../../model/mode.ts";
import { bytea, idColumn, moment, now } from "./columns.ts";
import { gatewaySchema } from "./gateway-schema.ts";
import { merchantId } from "./merchants.ts";

/** The response to a POST with an Idempotency-Key, stored in the transaction of the POST's effect. */
export const idempotencyKey = gatewaySchema.table(
  "idempotency_key",
  {
    /** Merchant (or `public`), method and path. */
    scope: text().notNull(),
    key: text().notNull(),
    /** SHA-256 of the body. */
    digest: bytea().notNull(),
    /** The request in progress, and the end of its lease on the key. */
    owner: text().notNull(),
    leaseUntil: moment().notNull(),
    /** The response; null while the request is in progress. */
    status: integer(),
    body: text(),
    createdAt: now(),
  },
  (t) => [primaryKey({ columns: [t.scope, t.key] }), index().on(t.createdAt)],
);

/**
 * Request counters that all API processes share. They are written in batches, and deleted a minute after their window
 * has ended. The table is unlogged, so a crash of PostgreSQL resets the windows.
 */
export const rateLimit = gatewaySchema.table(
  "rate_limit",
  {
    /** Limit and caller. */
    key: varchar({ length: 255 }).primaryKey(),
    points: integer().notNull().default(0),
    /** Unix milliseconds. */
    expire: bigint({ mode: "number" }),
  },
  (t) => [index().on(t.expire)],
);

/**
 * Requests made with a merchant's API keys, for integrators. They are written in batches and kept for days
 * (docs/retention.md). Query, headers and body are not stored, because they may contain keys, personal data and bank
 * details.
 */
export const requestLog = gatewaySchema.table(
  "request_log",
  {
    id: idColumn("request").notNull(),
    merchantId: merchantId(),
    mode: text().$type<Mode>().notNull(),
    keyId: text().notNull(),
    method: text().notNull(),
    path: text().notNull(),
    status: integer().notNull(),
    durationMs: integer().notNull(),
    requestId: text().notNull(),
    createdAt: moment().notNull(),
  },
  (t) => [primaryKey({ columns: [t.id, t.merchantId] }), index().on(t.merchantId, t.mode, t.createdAt, t.id)],
);
