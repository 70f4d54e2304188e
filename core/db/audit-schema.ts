// Who did what, for ever.
import { sql } from "drizzle-orm";
import { bigint, customType, index, jsonb, text } from "drizzle-orm/pg-core";
import type { ActorType } from "../audit/actors.ts";
import type { IntentId } from "../ids.ts";
import { now } from "./columns.ts";
import { gateway, type Mode } from "./schema.ts";

const transactionId = customType<{ data: string }>({ dataType: () => "xid8" });

/**
 * Who did what. Rows are added and never changed: a trigger refuses it to everybody, and the role `gateway_app` may not
 * even try. No bank details, no secrets.
 */
export const auditLog = gateway.table(
  "audit_log",
  {
    /** Before `position`, so that a row's transaction is known as running when its position is taken: see the sealer. */
    transactionId: transactionId().notNull().default(sql`pg_current_xact_id()`),
    position: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    id: text().notNull().unique(),
    merchantId: text(),
    mode: text().$type<Mode>(),
    actorType: text().$type<ActorType>().notNull(),
    /** The key's or the user's id, or an address; null for the service itself. */
    actor: text(),
    action: text().notNull(),
    intentId: text().$type<IntentId>(),
    /** What else it was done to: a milestone, a payout, a webhook endpoint. */
    resourceId: text(),
    fromStatus: text(),
    toStatus: text(),
    requestId: text(),
    /** The intent's, so that it can be found by what the merchant knows it by. */
    metadata: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    createdAt: now(),
  },
  (t) => [
    index().on(t.merchantId, t.mode, t.createdAt, t.position),
    index().on(t.merchantId, t.mode, t.action, t.createdAt, t.position),
    index().on(t.intentId, t.createdAt),
    index("audit_log_metadata").using("gin", sql`${t.metadata} jsonb_path_ops`),
  ],
);

/** A link of the chain over the audit log: the rows of a range of positions, hashed upon the link before. */
export const auditSeal = gateway.table("audit_seal", {
  id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
  /** The range is without gaps: begins where the last one ended. Positions in it may have no row. */
  firstPosition: bigint({ mode: "number" }).notNull().unique(),
  lastPosition: bigint({ mode: "number" }).notNull(),
  /** `position:hash` of each row, so that a break can be told to the row. */
  leaves: text().array().notNull(),
  previousHash: text().notNull().unique(),
  hash: text().notNull(),
  createdAt: now(),
});
