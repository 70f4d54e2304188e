// What merchants are told: events, and the webhooks that bring them.
import { sql } from "drizzle-orm";
import { bigint, index, integer, jsonb, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { EventData } from "../events/event-data.ts";
import type { IntentId } from "../ids.ts";
import type { IntentStatus } from "../intent/status.ts";
import { bytea, moment, now } from "./columns.ts";
import { gateway, intent, type Mode, merchant } from "./schema.ts";

/**
 * What happened, told once: a transition that the read model showed for the first time, or a fact of the escrow or of a
 * payout. Webhooks hang on this row alone. Written by core/events/record-events.ts and nothing else.
 */
export const event = gateway.table(
  "event",
  {
    id: text().primaryKey(),
    /** The order of lists among events of one moment. */
    position: bigint({ mode: "number" }).notNull().generatedAlwaysAsIdentity(),
    merchantId: text()
      .notNull()
      .references(() => merchant.id),
    mode: text().$type<Mode>().notNull(),
    /** Null for what concerns no intent: `webhook.test`. */
    intentId: text()
      .$type<IntentId>()
      .references(() => intent.id),
    /** The order in which things happened to the intent: 1, 2, 3 and so on. */
    sequence: integer(),
    type: text().notNull(),
    fromStatus: text().$type<IntentStatus>(),
    /** Null for what is not a transition of the intent. */
    toStatus: text().$type<IntentStatus>(),
    /**
     * Hash of the block that decided it, or of the transaction, or the payout's id; empty where time or a person did,
     * and where it happens only once. For what is not a transition: which of its kind.
     */
    decidedBy: text().notNull(),
    /** What the merchant is told: the object as it was, and what it was before. */
    data: jsonb().$type<EventData>().notNull(),
    createdAt: now(),
  },
  (t) => [
    uniqueIndex().on(t.intentId, t.type, t.toStatus, t.decidedBy),
    uniqueIndex("event_fact").on(t.intentId, t.type, t.decidedBy).where(sql`${t.toStatus} is null`),
    uniqueIndex().on(t.intentId, t.sequence),
    index().on(t.intentId, t.createdAt),
    index().on(t.merchantId, t.mode, t.createdAt, t.position),
    index().on(t.merchantId, t.mode, t.type, t.createdAt, t.position),
    index("event_late_funding").on(t.intentId).where(sql`${t.type} = 'payment_intent.late_funding'`),
    index("event_metadata").using("gin", sql`(${t.data} -> 'object' -> 'metadata') jsonb_path_ops`),
  ],
);

/** Where a merchant wants to be told of events. */
export const webhookEndpoint = gateway.table(
  "webhook_endpoint",
  {
    id: text().primaryKey(),
    merchantId: text()
      .notNull()
      .references(() => merchant.id),
    mode: text().$type<Mode>().notNull(),
    url: text().notNull(),
    description: text(),
    /** Types, `payment_intent.*` and the like, or `*`. */
    enabledEvents: jsonb().$type<string[]>().notNull(),
    status: text().$type<"enabled" | "disabled">().notNull().default("enabled"),
    /** `gone`: the endpoint answered 410. `merchant`: its owner said so. */
    disabledReason: text().$type<"gone" | "merchant">(),
    /** Encrypted (core/events/secret-box.ts), because it must sign. */
    secret: bytea().notNull(),
    /** Signs as well until then. */
    previousSecret: bytea(),
    previousSecretUntil: moment(),
    /** Asked by Retry-After to wait. */
    pausedUntil: moment(),
    createdAt: now(),
    updatedAt: now(),
  },
  (t) => [index().on(t.merchantId, t.mode, t.createdAt)],
);

export type DeliveryStatus = "pending" | "succeeded" | "failed";

/** One event on its way to one endpoint. Its row is written in the transaction of the event. */
export const webhookDelivery = gateway.table(
  "webhook_delivery",
  {
    id: text().primaryKey(),
    endpointId: text()
      .notNull()
      .references(() => webhookEndpoint.id, { onDelete: "cascade" }),
    eventId: text()
      .notNull()
      .references(() => event.id),
    intentId: text().$type<IntentId>(),
    /** The event's. */
    position: bigint({ mode: "number" }).notNull(),
    status: text().$type<DeliveryStatus>().notNull().default("pending"),
    /** Attempts since it was last asked for; the backoff counts them. */
    attempts: integer().notNull().default(0),
    /** When it is due; while an attempt is under way, when that must be over. Null: nothing is left to do. */
    nextAttemptAt: moment().default(sql`clock_timestamp()`),
    /** Names the attempt that is under way. */
    lease: text(),
    createdAt: now(),
  },
  (t) => [
    index("webhook_delivery_due")
      .on(t.endpointId, t.nextAttemptAt, t.position)
      .where(sql`${t.nextAttemptAt} is not null`),
    index("webhook_delivery_of_intent")
      .on(t.endpointId, t.intentId, t.position)
      .where(sql`${t.nextAttemptAt} is not null`),
    index("webhook_delivery_failed").on(t.createdAt).where(sql`${t.status} = 'failed'`),
    index().on(t.endpointId, t.position),
    index().on(t.eventId),
  ],
);

/** What came of one attempt. */
export const webhookAttempt = gateway.table(
  "webhook_attempt",
  {
    id: text().primaryKey(),
    deliveryId: text()
      .notNull()
      .references(() => webhookDelivery.id, { onDelete: "cascade" }),
    statusCode: integer(),
    error: text(),
    /** The beginning of what the endpoint answered. */
    response: text(),
    durationMs: integer().notNull(),
    createdAt: now(),
  },
  (t) => [index().on(t.deliveryId, t.createdAt)],
);
