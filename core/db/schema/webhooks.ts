// Webhook endpoints, and the delivery of events to them.
import { sql } from "drizzle-orm";
import { foreignKey, index, integer, jsonb, primaryKey, text } from "drizzle-orm/pg-core";
import type { Mode } from "../../model/mode.ts";
import { bytea, idColumn, intentId, merchantKey, moment, now } from "./columns.ts";
import { gatewaySchema } from "./gateway-schema.ts";
import { merchantId } from "./merchants.ts";

/** A merchant's URL for events. */
export const webhookEndpoint = gatewaySchema.table(
  "webhook_endpoint",
  {
    id: idColumn("we").notNull(),
    merchantId: merchantId(),
    mode: text().$type<Mode>().notNull(),
    url: text().notNull(),
    description: text(),
    /** Event types, patterns such as `payment_intent.*`, or `*`. */
    enabledEvents: jsonb().$type<string[]>().notNull(),
    status: text().$type<"enabled" | "disabled">().notNull().default("enabled"),
    /** `gone`: the endpoint responded with 410. `merchant`: the merchant disabled it. */
    disabledReason: text().$type<"gone" | "merchant">(),
    /** Encrypted (core/webhooks/secret-box.ts) instead of hashed, because it signs deliveries. */
    secret: bytea().notNull(),
    /** The previous secret also signs deliveries until `previousSecretUntil`. */
    previousSecret: bytea(),
    previousSecretUntil: moment(),
    /** Set from `Retry-After`. */
    pausedUntil: moment(),
    createdAt: now(),
    updatedAt: now(),
  },
  (t) => [primaryKey({ columns: [t.id, t.merchantId] }), index().on(t.merchantId, t.mode, t.createdAt)],
);

export type DeliveryStatus = "pending" | "succeeded" | "failed";

/** The delivery of one event to one endpoint, inserted in the transaction of the event. */
export const webhookDelivery = gatewaySchema.table(
  "webhook_delivery",
  {
    id: idColumn("delivery").notNull(),
    merchantId: merchantKey().notNull(),
    endpointId: idColumn("we").notNull(),
    /**
     * Sortable by time. It determines the order of deliveries in lists. Without a foreign key: deliveries are inserted
     * from their events, which are never deleted.
     */
    eventId: idColumn("evt").notNull(),
    intentId: intentId(),
    /** The event's position. Deliveries of one intent are attempted in this order. */
    sequence: integer(),
    status: text().$type<DeliveryStatus>().notNull().default("pending"),
    /** The number of attempts since the delivery was last requested. It determines the backoff. */
    attempts: integer().notNull().default(0),
    /** When the delivery is due. Null if nothing is left to do. */
    nextAttemptAt: moment().default(sql`clock_timestamp()`),
    /** Identifies the attempt that is in progress. */
    lease: text(),
    /** When the attempt times out. No index contains this column, so that a claim is a heap-only update. */
    leasedUntil: moment(),
    createdAt: now(),
  },
  (t) => [
    primaryKey({ columns: [t.id, t.merchantId] }),
    foreignKey({
      name: "webhook_delivery_endpoint_fk",
      columns: [t.endpointId, t.merchantId],
      foreignColumns: [webhookEndpoint.id, webhookEndpoint.merchantId],
    }).onDelete("cascade"),
    index("webhook_delivery_due")
      .on(t.endpointId, t.nextAttemptAt, t.eventId)
      .where(sql`${t.nextAttemptAt} is not null`),
    index("webhook_delivery_of_intent")
      .on(t.endpointId, t.intentId, t.sequence)
      .where(sql`${t.nextAttemptAt} is not null`),
    index("webhook_delivery_failed").on(t.createdAt).where(sql`${t.status} = 'failed'`),
    index().on(t.endpointId, t.eventId),
  ],
);

/** The result of one attempt. */
export const webhookAttempt = gatewaySchema.table(
  "webhook_attempt",
  {
    id: idColumn("attempt").notNull(),
    merchantId: merchantKey().notNull(),
    deliveryId: idColumn("delivery").notNull(),
    statusCode: integer(),
    error: text(),
    /** The beginning of the response body. */
    response: text(),
    durationMs: integer().notNull(),
    createdAt: now(),
  },
  (t) => [
    primaryKey({ columns: [t.id, t.merchantId] }),
    foreignKey({
      name: "webhook_attempt_delivery_fk",
      columns: [t.deliveryId, t.merchantId],
      foreignColumns: [webhookDelivery.id, webhookDelivery.merchantId],
    }).onDelete("cascade"),
    index().on(t.deliveryId, t.createdAt),
    // Attempts that a merchant's dashboard shows as they happen.
    index().on(t.merchantId, t.createdAt),
  ],
);
