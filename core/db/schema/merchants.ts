// Merchants, and the API keys that act for them.
import { sql } from "drizzle-orm";
import { check, index, text } from "drizzle-orm/pg-core";
import type { Mode } from "../../model/mode.ts";
import { address, bytea, merchantKey, moment, now } from "./columns.ts";
import { gatewaySchema } from "./gateway-schema.ts";

export const merchant = gatewaySchema.table(
  "merchant",
  {
    id: merchantKey().primaryKey(),
    name: text().notNull().unique(),
    /** The account that receives released funds: `payee` on chain, `contractMerchantId` in the API. */
    account: address().notNull(),
    /** Details of the merchant that payers may see. */
    logoUrl: text(),
    supportEmail: text(),
    /** Hosts that are allowed in a payment's returnUrl and cancelUrl, as written in URLs. */
    returnHosts: text().array().notNull().default(sql`'{}'::text[]`),
    createdAt: now(),
  },
  (t) => [check("merchant_id_form", sql`octet_length(${t.id}) = 10`)],
);

/** A column for the merchant that a row belongs to. */
export const merchantId = () =>
  merchantKey()
    .notNull()
    .references(() => merchant.id);

/** What a key is allowed to do (core/api-keys/permissions.ts). */
export type Access = "full" | "no_release" | "read_only";

export const apiKey = gatewaySchema.table(
  "api_key",
  {
    id: text().primaryKey(),
    merchantId: merchantId(),
    mode: text().$type<Mode>().notNull(),
    /** SHA-256 of the key. A key with 256 random bits does not need a slow hash. The key itself is not stored. */
    hash: bytea().notNull().unique(),
    /** The owner's label, and the visible part of the key: its prefix and its last four characters. */
    name: text(),
    hint: text().notNull().default(""),
    access: text().$type<Access>().notNull().default("full"),
    /** Recorded at most once a minute. */
    lastUsedAt: moment(),
    /** When the key expires. Set when the key is created with an expiry, and when it is rotated. */
    expiresAt: moment(),
    replacedBy: text(),
    createdAt: now(),
    revokedAt: moment(),
  },
  (t) => [index().on(t.merchantId)],
);
