// The events that the service emits to merchants.
import { sql } from "drizzle-orm";
import {
  check,
  customType,
  foreignKey,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { ActorType } from "../../model/actors.ts";
import type { EventData } from "../../model/event-data.ts";
import type { IntentStatus } from "../../model/intent-status.ts";
import type { Mode } from "../../model/mode.ts";
import { packEventData, unpackEventData } from "../../model/pack-event-data.ts";
import { actorIndexes } from "./actor-indexes.ts";
import { auditPosition } from "./audit-position.ts";
import {
  type Bytes,
  idColumn,
  intentId,
  METADATA_INDEX,
  merchantKey,
  now,
  readBytes,
  writeBytes,
} from "./columns.ts";
import { gatewaySchema } from "./gateway-schema.ts";
import { intent } from "./intents.ts";

const eventData = customType<{ data: EventData; driverData: Bytes }>({
  dataType: () => "bytea",
  toDriver: (data) => writeBytes(packEventData(data)),
  fromDriver: (bytes) => unpackEventData(readBytes(bytes)),
});

/**
 * A transition of an intent that the read model showed for the first time, or a change of the escrow or of a payout.
 * Each is emitted once. Webhooks, the audit log and live updates depend only on this row. Only
 * core/events/record-events.ts writes to this table. The table is append-only, like `audit_log`.
 */
export const event = gatewaySchema.table(
  "event",
  {
    /** The row's place in the hash chain of the audit log. Lists use it to order events with the same `created_at`. */
    position: auditPosition(),
    id: idColumn("evt").notNull(),
    /** Without a foreign key: every event would lock the merchant's row, which all of its payments share. */
    merchantId: merchantKey().notNull(),
    mode: text().$type<Mode>().notNull(),
    /** Null if the event does not concern an intent, as for `webhook.test`. */
    intentId: intentId(),
    /** The position of the event among the intent's events, starting at 1. The lock of the intent's row makes it unique. */
    sequence: integer(),
    type: text().notNull(),
    fromStatus: text().$type<IntentStatus>(),
    /** Null if the event is not a transition of the intent. */
    toStatus: text().$type<IntentStatus>(),
    /**
     * The cause of the transition: the hash of a block or transaction, or the payout's id. Empty if time or a person
     * caused it, or if it can happen only once. For an event that is not a transition, it distinguishes the event from
     * others of the same type.
     */
    decidedBy: text().notNull(),
    /**
     * The object's changeable fields at that time, and the previous values of the changed ones
     * (core/events/show-event.ts).
     */
    data: eventData().notNull(),
    /** The intent's metadata at that time, by which merchants recognize the event. `data` does not contain it. */
    metadata: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    /** Who caused the event; null for the service itself, unless the operator's transaction did. */
    actorType: text().$type<ActorType>(),
    actor: text(),
    createdAt: now(),
  },
  (t) => [
    primaryKey({ columns: [t.id, t.merchantId] }),
    foreignKey({ columns: [t.intentId, t.merchantId], foreignColumns: [intent.id, intent.merchantId] }),
    // Each event is emitted once. The index contains only a hash, because every new event writes to the index.
    // Different events of an intent do not share a hash. The events of an intent are read through this index, too.
    uniqueIndex("event_once").on(
      t.intentId,
      sql`hashtextextended(${t.type} || ' ' || coalesce(${t.toStatus}, '') || ' ' || ${t.decidedBy}, 0)`,
      t.merchantId,
    ),
    // Sealing and verifying read ranges of positions.
    uniqueIndex().on(t.position, t.merchantId),
    check("event_position_positive", sql`${t.position} > 0`),
    check("event_merchant_id_form", sql`octet_length(${t.merchantId}) = 10`),
    index().on(t.merchantId, t.mode, t.createdAt, t.position),
    index().on(t.merchantId, t.mode, t.type, t.createdAt, t.position),
    ...actorIndexes("event", t, ["payer", "system"]),
    index("event_metadata")
      .using("gin", sql`${t.metadata} jsonb_path_ops`)
      .where(sql`${t.metadata} <> '{}'`)
      .with(METADATA_INDEX),
  ],
);
