// Merchants, and the API keys that act for them.
import { sql } from "drizzle-orm";
import { index, text } from "drizzle-orm/pg-core";
import type { Mode } from "../../model/mode.ts";
import { address, bytea, moment, now } from "./columns.ts";
import { gatewaySchema } from "./gateway-schema.ts";

export const merchant = gatewaySchema.table("merchant", {
  id: text().primaryKey(),
  name: text().notNull().unique(),
  /** The account that receives released funds: `payee` on chain, `contractMerchantId` in the API. */
  account: address().notNull(),
  /** What payers may be shown of the merchant. */
  logoUrl: text(),
  supportEmail: text(),
  /** Hosts that a payment's returnUrl and cancelUrl may have, as URLs spell them. */
  returnHosts: text().array().notNull().default(sql`'{}'::text[]`),
  createdAt: now(),
});

/** A column for the merchant that a row belongs to. */
export const merchantId = () =>
  text()
    .notNull()
    .references(() => merchant.id);

/** What a key is allowed to do: see core/api-keys/api-keys.ts. */
export type Access = "full" | "no_release" | "read_only";

export const apiKey = gatewaySchema.table(
  "api_key",
  {
    id: text().primaryKey(),
    merchantId: merchantId(),
    mode: text().$type<Mode>().notNull(),
    /** SHA-256 of the key: 256 random bits need no slow hash. The key itself is not stored. */
    hash: bytea().notNull().unique(),
    /** The owner's label, and the part of the key that is shown: its prefix and its last four characters. */
    name: text(),
    hint: text().notNull().default(""),
    access: text().$type<Access>().notNull().default("full"),
    /** Recorded at most once a minute. */
    lastUsedAt: moment(),
    /** After a rotation: when the old key expires. */
    expiresAt: moment(),
    replacedBy: text(),
    createdAt: now(),
    revokedAt: moment(),
  },
  (t) => [index().on(t.merchantId)],
);
