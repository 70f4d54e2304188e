// Schemas of events (spec, "Events"): one kind per object.
import { type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { EVENT_TYPES, type EventType } from "#core/events/event-data.ts";
import { ConditionalPaymentData, DeliveryProofData, SecondsText } from "../escrow/schemas.ts";
import {
  amountField,
  ConditionalPaymentId,
  idField,
  Livemode,
  objectField,
  PaymentIntentId,
} from "../http/fields.ts";
import { CreatedRange, listOf, listQuery, MetadataFilter, OfPaymentIntent } from "../lists/schemas.ts";
import { MilestoneData } from "../milestones/schemas.ts";
import {
  AddressText,
  Bytes32,
  Currency,
  described,
  IntentData,
  nullable,
  oneOf,
  SettlementMethod,
  StoredMetadata,
  UnixSeconds,
} from "../payment-intents/schemas.ts";
import { ARRIVED } from "../settlements/schemas.ts";
import { Endpoint } from "../webhook-endpoints/schemas.ts";

const KINDS = [...new Set(EVENT_TYPES.map((type) => type.replace(/\..*/, "")))];
const TYPE_PATTERN = `^(${[...KINDS.map((kind) => `${kind}\\.\\*`), ...EVENT_TYPES].join("|")})$`;

const eventObject = <T extends TProperties>(object: string, fields: T, title: string) =>
  Type.Object(
    { object: objectField(object), ...fields, metadata: described(StoredMetadata, "The payment intent's.") },
    { title, description: "The object as it was when the event happened." },
  );

const amounts = {
  releasedAmount: amountField("Released to the merchant so far"),
  refundedAmount: amountField("Returned to the payer so far", "0.00"),
};
const OfPayment = { conditionalPaymentId: ConditionalPaymentId, paymentIntentId: PaymentIntentId };

const EventConditionalPayment = eventObject(
  "conditional_payment",
  {
    ...ConditionalPaymentData.properties,
    ...amounts,
    refundAmount: Type.Optional(amountField("Returned by this refund")),
  },
  "EventConditionalPayment",
);

const { createdAt: _, ...proofFields } = DeliveryProofData.properties;
const EventDeliveryProof = eventObject(
  "delivery_proof",
  {
    ...proofFields,
    proven: Type.Boolean({ description: "Whether it proves delivery; else it is evidence" }),
  },
  "EventDeliveryProof",
);

const EventDispute = eventObject(
  "dispute",
  {
    id: idField("escrow order"),
    ...OfPayment,
    disputeReason: nullable(Type.String(), "Why it was raised."),
    disputeSide: nullable(oneOf(["PAYER", "MERCHANT"] as const), "The party that it counts for."),
    disputeRaisedBy: nullable(AddressText, "Who raised it."),
    disputeRaisedAt: SecondsText,
    disputeDeadline: nullable(SecondsText, "When its window ends, in Unix seconds."),
    status: oneOf(["raised", "resolved"] as const, undefined, "Whether it is still open."),
    outcome: Type.Optional(
      oneOf(
        ["MERCHANT_WON", "BUYER_WON", "PARTIAL_REFUND", "RESUMED"] as const,
        "DisputeResult",
        "What became of the rest (docs/webhooks.md).",
      ),
    ),
    resolution: Type.Optional(
      oneOf(["ARBITER", "AGREEMENT", "TIMEOUT", "CONCESSION"] as const, undefined, "Who or what ended it."),
    ),
    ...Type.Partial(Type.Object(amounts)).properties,
  },
  "EventDispute",
);

/** A milestone that the payer released without a plan has only these fields. */
const { id, milestoneIndex, amount, status, ...planned } = MilestoneData.properties;
const EventMilestone = eventObject(
  "milestone",
  {
    id,
    ...OfPayment,
    milestoneIndex: nullable(milestoneIndex, "Its place; null for one that nobody planned."),
    amount,
    status,
    ...Type.Partial(Type.Object(planned)).properties,
    ...OfPayment,
    completedBy: Type.Optional(AddressText),
    completionProof: Type.Optional(nullable(Type.String(), "What was given as proof.")),
    completionProofURI: Type.Optional(nullable(Type.String(), "Where the proof can be read.")),
  },
  "EventMilestone",
);

const EventPayout = eventObject(
  "payout",
  {
    id: idField("payout"),
    paymentIntentId: PaymentIntentId,
    amount: amountField("What left the escrow for it"),
    currency: Currency,
    settlementMethod: SettlementMethod,
    status: oneOf(["completed", "failed", "returned"] as const, undefined, "What became of it."),
    attempt: Type.Integer({ description: "Which attempt at this amount it is, from 1 on." }),
    failureReason: nullable(Type.String(), "Why it failed or came back."),
    ...ARRIVED,
    settlementTxHash: nullable(Bytes32, "The transaction that took the amount out of the escrow."),
    created: described(UnixSeconds, "When it was ordered, in Unix seconds."),
  },
  "EventPayout",
);

const listTypes = (kind: string): EventType[] => EVENT_TYPES.filter((type) => type.startsWith(`${kind}.`));

const event = <T extends TSchema>(kind: string, object: T, title: string) =>
  Type.Object(
    {
      id: idField("event", "evt_01990a5e3c7e7000a1b2c3d4e5f60718"),
      object: objectField("event"),
      type: oneOf(listTypes(kind), undefined, "What happened."),
      created: described(UnixSeconds, "When it happened, in Unix seconds."),
      livemode: Livemode,
      paymentIntentId: nullable(Type.String(), "The payment intent that it is about."),
      sequence: nullable(
        Type.Integer(),
        "The place among the events of this payment intent: 1, 2, 3 and so on, without gaps",
      ),
      data: Type.Object(
        {
          object,
          previousAttributes: Type.Optional(
            Type.Record(Type.String(), Type.Unknown(), { description: "What of it was different before." }),
          ),
        },
        { description: "The object of the event." },
      ),
    },
    { title },
  );

/** By the part of the type before the dot. */
export const EVENT_KINDS = {
  payment_intent: event("payment_intent", IntentData, "PaymentIntentEvent"),
  conditional_payment: event("conditional_payment", EventConditionalPayment, "ConditionalPaymentEvent"),
  delivery_proof: event("delivery_proof", EventDeliveryProof, "DeliveryProofEvent"),
  dispute: event("dispute", EventDispute, "DisputeEvent"),
  milestone: event("milestone", EventMilestone, "MilestoneEvent"),
  payout: event("payout", EventPayout, "PayoutEvent"),
  webhook: event("webhook", Endpoint, "WebhookTestEvent"),
};

export const EventObject = Type.Union(Object.values(EVENT_KINDS), { title: "Event" });

export const EventList = listOf(EventObject, "EventList");

export const ListEventsQuery = listQuery({
  type: Type.Optional(
    Type.String({
      description: "A type, or all of a kind: `payment_intent.*`",
      examples: ["payment_intent.succeeded"],
      pattern: TYPE_PATTERN,
      errorMessage: `one of ${EVENT_TYPES.join(", ")}`,
    }),
  ),
  paymentIntentId: OfPaymentIntent,
  created: CreatedRange,
  metadata: MetadataFilter,
});
