// Events: what the service emits to merchants.
import { sql } from "drizzle-orm";
import {
  customType,
  foreignKey,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { IntentId } from "../../ids.ts";
import type { EventData } from "../../model/event-data.ts";
import type { IntentStatus } from "../../model/intent-status.ts";
import type { Mode } from "../../model/mode.ts";
import { packEventData, unpackEventData } from "../../model/pack-event-data.ts";
import { now } from "./columns.ts";
import { gatewaySchema } from "./gateway-schema.ts";
import { intent } from "./intents.ts";
import { merchantId } from "./merchants.ts";

const eventData = customType<{ data: EventData; driverData: Buffer }>({
  dataType: () => "bytea",
  toDriver: packEventData,
  fromDriver: unpackEventData,
});

/**
 * A transition that the read model showed for the first time, or a change of the escrow or of a payout; each is emitted
 * once. Webhooks depend on this row alone. Only core/events/record-events.ts writes it.
 */
export const event = gatewaySchema.table(
  "event",
  {
    /** Sortable by time: it orders events with the same `created_at` in lists. */
    id: text().notNull(),
    merchantId: merchantId(),
    mode: text().$type<Mode>().notNull(),
    /** Null where no intent is concerned: `webhook.test`. */
    intentId: text().$type<IntentId>(),
    /** The order of the intent's events: 1, 2, 3 and so on. */
    sequence: integer(),
    type: text().notNull(),
    fromStatus: text().$type<IntentStatus>(),
    /** Null where the event is not a transition of the intent. */
    toStatus: text().$type<IntentStatus>(),
    /**
     * Hash of the deciding block or transaction, or the payout's id; empty where time or a person decides, and where it
     * happens only once. For an event that is not a transition: which one of its type.
     */
    decidedBy: text().notNull(),
    /** What the object had at that time of what can change, and the previous values of what did (core/events/show-event.ts). */
    data: eventData().notNull(),
    /** The intent's at that time, of which merchants know the event; `data` has none. */
    metadata: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    createdAt: now(),
  },
  (t) => [
    primaryKey({ columns: [t.id, t.merchantId] }),
    foreignKey({ columns: [t.intentId, t.merchantId], foreignColumns: [intent.id, intent.merchantId] }),
    // Each is emitted once. A hash, because the index is written with every event: two of one intent do not share one.
    uniqueIndex("event_once").on(
      t.intentId,
      sql`hashtextextended(${t.type} || ' ' || coalesce(${t.toStatus}, '') || ' ' || ${t.decidedBy}, 0)`,
      t.merchantId,
    ),
    uniqueIndex().on(t.intentId, t.sequence, t.merchantId),
    index().on(t.merchantId, t.mode, t.createdAt, t.id),
    index().on(t.merchantId, t.mode, t.type, t.createdAt, t.id),
    index("event_metadata").using("gin", sql`${t.metadata} jsonb_path_ops`).where(sql`${t.metadata} <> '{}'`),
  ],
);
