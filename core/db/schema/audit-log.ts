// The audit log, and the seals that make a change to it visible (docs/audit-log.md).
import { sql } from "drizzle-orm";
import { bigint, customType, index, integer, jsonb, text } from "drizzle-orm/pg-core";
import type { IntentId } from "../../ids.ts";
import type { ActorType } from "../../model/actors.ts";
import type { Changes } from "../../model/changes.ts";
import type { Mode } from "../../model/mode.ts";
import { now } from "./columns.ts";
import { gatewaySchema } from "./gateway-schema.ts";

const transactionId = customType<{ data: string }>({ dataType: () => "xid8" });

/**
 * Who did what. Append-only: a trigger refuses changes to every role except the deletion of archived rows, and
 * `gateway_app` lacks the privilege. No bank details, no secrets.
 */
export const auditLog = gatewaySchema.table(
  "audit_log",
  {
    /** Before `position`, so that a row's transaction is known as running when its position is taken: see the sealer. */
    transactionId: transactionId().notNull().default(sql`pg_current_xact_id()`),
    position: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    id: text().notNull().unique(),
    merchantId: text(),
    mode: text().$type<Mode>(),
    actorType: text().$type<ActorType>().notNull(),
    /** The id of the key or user, or an address; null for the service itself. */
    actor: text(),
    action: text().notNull(),
    intentId: text().$type<IntentId>(),
    /** The object besides the intent: a milestone, a payout, a webhook endpoint. */
    resourceId: text(),
    fromStatus: text(),
    toStatus: text(),
    requestId: text(),
    /** The intent's, so that entries are found by the merchant's own reference. */
    metadata: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    /** Old and new values, where the operation changes what somebody entered. */
    changes: jsonb().$type<Changes>(),
    createdAt: now(),
  },
  (t) => [
    index().on(t.merchantId, t.mode, t.createdAt, t.position),
    index().on(t.merchantId, t.mode, t.action, t.createdAt, t.position),
    index().on(t.intentId, t.createdAt),
    index("audit_log_metadata")
      .using("gin", sql`${t.metadata} jsonb_path_ops`)
      .where(sql`${t.metadata} <> '{}'`),
  ],
);

/** A link of the chain over the audit log: the rows of a range of positions, hashed upon the link before. */
export const auditSeal = gatewaySchema.table("audit_seal", {
  id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
  /** The range is without gaps: begins where the last one ended. Positions in it may have no row. */
  firstPosition: bigint({ mode: "number" }).notNull().unique(),
  lastPosition: bigint({ mode: "number" }).notNull(),
  /** `position:hash` of each row, so that verification names the row that was changed. */
  leaves: text().array().notNull(),
  previousHash: text().notNull().unique(),
  hash: text().notNull(),
  createdAt: now(),
});

/**
 * A segment of the log that was exported and is deleted here (scripts/cli/archive): seals from the first one on, without gaps.
 * A trigger compares a new row with the seals that it names, and only rows up to the last segment's end can be deleted.
 */
export const auditArchive = gatewaySchema.table("audit_archive", {
  firstPosition: bigint({ mode: "number" }).primaryKey(),
  lastPosition: bigint({ mode: "number" }).notNull().unique(),
  rows: integer().notNull(),
  seals: integer().notNull(),
  /** Of the seal before the first one, and of the last one. */
  previousHash: text().notNull(),
  hash: text().notNull(),
  /** SHA-256 of the exported file. */
  fileHash: text().notNull(),
  createdAt: now(),
});
