// The audit log, and the seals that reveal changes to it (docs/audit-log.md).
import { sql } from "drizzle-orm";
import { bigint, check, index, integer, jsonb, text } from "drizzle-orm/pg-core";
import type { ActorType } from "../../model/actors.ts";
import type { Changes } from "../../model/changes.ts";
import type { Mode } from "../../model/mode.ts";
import { actorIndexes } from "./actor-indexes.ts";
import { auditPosition } from "./audit-position.ts";
import { digest, idColumn, intentId, METADATA_INDEX, merchantKey, now } from "./columns.ts";
import { gatewaySchema } from "./gateway-schema.ts";
import { LEAF_BYTES, sealLeaves } from "./seal-leaves.ts";

/**
 * Records who did what. Transitions are not recorded here but in `event`, whose rows are entries of the log as well.
 * The table is append-only: a trigger rejects every change except the deletion of archived rows, and `gateway_app`
 * lacks the privilege to change rows. Rows contain no bank details and no secrets.
 */
export const auditLog = gatewaySchema.table(
  "audit_log",
  {
    position: auditPosition().primaryKey(),
    id: idColumn("audit").notNull().unique(),
    merchantId: merchantKey(),
    mode: text().$type<Mode>(),
    actorType: text().$type<ActorType>().notNull(),
    /** The id of the key or user, or an address; null for the service itself. */
    actor: text(),
    action: text().notNull(),
    intentId: intentId(),
    /** The object other than the intent, such as a milestone, a payout or a webhook endpoint. */
    resourceId: text(),
    fromStatus: text(),
    toStatus: text(),
    requestId: text(),
    /** The intent's metadata, so that merchants can find entries by their own reference. */
    metadata: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    /** Old and new values, if the operation changes data that a person entered. */
    changes: jsonb().$type<Changes>(),
    createdAt: now(),
  },
  (t) => [
    index().on(t.merchantId, t.mode, t.createdAt, t.position),
    index().on(t.merchantId, t.mode, t.action, t.createdAt, t.position),
    ...actorIndexes("audit_log", t, ["api_key"]),
    index().on(t.intentId, t.createdAt),
    index("audit_log_metadata")
      .using("gin", sql`${t.metadata} jsonb_path_ops`)
      .where(sql`${t.metadata} <> '{}'`)
      .with(METADATA_INDEX),
    check("audit_log_position_positive", sql`${t.position} > 0`),
  ],
);

/**
 * A link of the hash chain over the audit log. It covers the rows of `audit_log` and `event` in a range of positions,
 * and its hash includes the previous link's hash.
 */
export const auditSeal = gatewaySchema.table(
  "audit_seal",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    /** The range starts directly after the previous one. Positions in it may have no row. */
    firstPosition: bigint({ mode: "number" }).notNull().unique(),
    lastPosition: bigint({ mode: "number" }).notNull(),
    /** `position:hash` of each row, so that verification can name a changed row. */
    leaves: sealLeaves().notNull(),
    previousHash: digest().notNull().unique(),
    hash: digest().notNull(),
    createdAt: now(),
  },
  (t) => [
    check(
      "audit_seal_lengths",
      sql`octet_length(${t.leaves}) % ${sql.raw(String(LEAF_BYTES))} = 0 and octet_length(${t.hash}) = 32 and octet_length(${t.previousHash}) = 32`,
    ),
  ],
);

/**
 * A segment of the log that was exported, and whose rows of `audit_log` are deleted from the database
 * (scripts/cli/archive). The segments cover the seals from the first one on, without gaps. A trigger compares a new row
 * with the seals that it names, and only rows up to the end of the last segment can be deleted.
 */
export const auditArchive = gatewaySchema.table("audit_archive", {
  firstPosition: bigint({ mode: "number" }).primaryKey(),
  lastPosition: bigint({ mode: "number" }).notNull().unique(),
  /** Rows of `audit_log` and `event`. */
  rows: integer().notNull(),
  seals: integer().notNull(),
  /** The hash of the seal before the segment, and of the segment's last seal. */
  previousHash: digest().notNull(),
  hash: digest().notNull(),
  /** SHA-256 of the exported file. */
  fileHash: digest().notNull(),
  createdAt: now(),
});
