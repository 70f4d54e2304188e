// What API processes remember of requests: answers by idempotency key, counters of rate limits, and a merchant's log of requests.
import { bigint, index, integer, primaryKey, text, varchar } from "drizzle-orm/pg-core";
import type { Mode } from "../../model/mode.ts";
import { bytea, moment, now } from "./columns.ts";
import { gatewaySchema } from "./gateway-schema.ts";
import { merchantId } from "./merchants.ts";

/** The response to a POST with an Idempotency-Key, stored in the transaction of the effect. */
export const idempotencyKey = gatewaySchema.table(
  "idempotency_key",
  {
    /** Merchant (or `public`), method and path. */
    scope: text().notNull(),
    key: text().notNull(),
    /** SHA-256 of the body. */
    digest: bytea().notNull(),
    /** The request that is in progress, and until when it keeps the key to itself. */
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
 * Requests counted by all API processes; written in batches, deleted a minute after their window ended. Unlogged: a crash of
 * Postgres resets the windows.
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
 * The requests of a merchant's API keys, for integrators: written in batches, kept for days (docs/retention.md). No query,
 * header or body: they may carry keys, people's data and bank details.
 */
export const requestLog = gatewaySchema.table(
  "request_log",
  {
    id: text().notNull(),
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
  (t) => [
    primaryKey({ columns: [t.id, t.merchantId] }),
    index().on(t.merchantId, t.mode, t.createdAt, t.id),
    index().on(t.createdAt),
  ],
);
