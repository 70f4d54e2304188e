// What an event tells, and which types there are. A type is `object.verb`; its object is what `data.object` holds.

/** Types in the order in which a payment meets them. */
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
  /**
   * The object as it was when the event happened, without what never changes of it (show-event.ts) and without the payment's
   * metadata, which the event's row has beside it.
   */
  object: EventObject;
  /** What of it was different before. */
  previousAttributes?: Record<string, unknown>;
};
