// Event types and the data of events. A type has the form `object.verb`, and `data.object` contains the object.

/** Event types, in the order of a payment's lifecycle. */
export const EVENT_TYPES = [
  "payment_intent.requires_signature",
  "payment_intent.processing",
  "payment_intent.succeeded",
  "payment_intent.settled",
  "payment_intent.final",
  "payment_intent.canceled",
  "payment_intent.requires_action",
  "payment_intent.initiated",
  "payment_intent.reverted",
  "payment_intent.late_funding",
  "conditional_payment.shipped",
  "conditional_payment.released",
  "conditional_payment.refunded",
  "conditional_payment.withdrawal_required",
  "delivery_proof.submitted",
  "dispute.raised",
  "dispute.resolved",
  "milestone.completed",
  "milestone.released",
  "payout.completed",
  "payout.failed",
  "payout.returned",
  "webhook.test",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export type EventObject = { object: string } & Record<string, unknown>;

export type EventData = {
  /** The object at the time of the event, without the fields that never change (core/events/show-event.ts). */
  object: EventObject;
  /** Previous values of changed fields. */
  previousAttributes?: Record<string, unknown>;
};
