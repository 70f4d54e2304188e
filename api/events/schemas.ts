// Shapes of events (spec, "Events"): a kind for each object that events tell of.
import { type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { EVENT_TYPES, type EventType } from "#core/events/event-data.ts";
import { ConditionalPaymentData, DeliveryProofData, SecondsText } from "../escrow/schemas.ts";
import { CreatedRange, CURSORS, Limit, listOf, MetadataFilter } from "../http/list-schemas.ts";
import { MilestoneData } from "../milestones/schemas.ts";
import {
  AddressText,
  Bytes32,
  Currency,
  IntentData,
  nullable,
  oneOf,
  SettlementMethod,
  StoredMetadata,
  UnixSeconds,
} from "../payment-intents/schemas.ts";
import { ARRIVED } from "../settlements/schemas.ts";
import { Endpoint } from "../webhook-endpoints/schemas.ts";

const told = <T extends TProperties>(object: string, fields: T, title: string) =>
  Type.Object({ object: Type.Literal(object), ...fields, metadata: StoredMetadata }, { title });

const amounts = { releasedAmount: Type.String(), refundedAmount: Type.String() };
const OfPayment = { conditionalPaymentId: Type.String(), paymentIntentId: Type.String() };

const EventConditionalPayment = told(
  "conditional_payment",
  { ...ConditionalPaymentData.properties, ...amounts, refundAmount: Type.Optional(Type.String()) },
  "EventConditionalPayment",
);

const { createdAt: _, ...proofFields } = DeliveryProofData.properties;
const EventDeliveryProof = told(
  "delivery_proof",
  {
    ...proofFields,
    proven: Type.Boolean({ description: "Whether it proves delivery; else it is evidence" }),
  },
  "EventDeliveryProof",
);

const EventDispute = told(
  "dispute",
  {
    id: Type.String(),
    ...OfPayment,
    disputeReason: nullable(Type.String()),
    disputeSide: nullable(oneOf(["PAYER", "MERCHANT"] as const)),
    disputeRaisedBy: nullable(AddressText),
    disputeRaisedAt: SecondsText,
    disputeDeadline: nullable(SecondsText),
    status: oneOf(["raised", "resolved"] as const),
    outcome: Type.Optional(
      oneOf(["MERCHANT_WON", "BUYER_WON", "PARTIAL_REFUND", "RESUMED"] as const, "DisputeResult"),
    ),
    resolution: Type.Optional(oneOf(["ARBITER", "AGREEMENT", "TIMEOUT", "CONCESSION"] as const)),
    ...Type.Partial(Type.Object(amounts)).properties,
  },
  "EventDispute",
);

/** One that the payer released although nobody planned it has no more than these. */
const { id, milestoneIndex, amount, status, ...planned } = MilestoneData.properties;
const EventMilestone = told(
  "milestone",
  {
    id,
    ...OfPayment,
    milestoneIndex: nullable(milestoneIndex),
    amount,
    status,
    ...Type.Partial(Type.Object(planned)).properties,
    ...OfPayment,
    completedBy: Type.Optional(AddressText),
    completionProof: Type.Optional(nullable(Type.String())),
    completionProofURI: Type.Optional(nullable(Type.String())),
  },
  "EventMilestone",
);

const EventPayout = told(
  "payout",
  {
    id: Type.String(),
    paymentIntentId: Type.String(),
    amount: Type.String(),
    currency: Currency,
    settlementMethod: SettlementMethod,
    status: oneOf(["completed", "failed", "returned"] as const),
    attempt: Type.Integer(),
    failureReason: nullable(Type.String()),
    ...ARRIVED,
    settlementTxHash: nullable(Bytes32),
    created: UnixSeconds,
  },
  "EventPayout",
);

const typesOf = (kind: string): EventType[] => EVENT_TYPES.filter((type) => type.startsWith(`${kind}.`));

const event = <T extends TSchema>(kind: string, object: T, title: string) =>
  Type.Object(
    {
      id: Type.String({ examples: ["evt_01990a5e3c7e7000a1b2c3d4e5f60718"] }),
      object: Type.Literal("event"),
      type: oneOf(typesOf(kind)),
      created: UnixSeconds,
      livemode: Type.Boolean(),
      paymentIntentId: nullable(Type.String()),
      sequence: Type.Union([Type.Integer(), Type.Null()], {
        description: "The place among the events of this payment intent: 1, 2, 3 and so on, without gaps",
      }),
      data: Type.Object({
        object,
        previousAttributes: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      }),
    },
    { title },
  );

/** By the part of their types before the dot. */
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

export const ListEventsQuery = Type.Object({
  limit: Limit,
  ...CURSORS,
  type: Type.Optional(
    Type.String({
      description: "A type, or all of a kind: `payment_intent.*`",
      examples: ["payment_intent.succeeded"],
    }),
  ),
  paymentIntentId: Type.Optional(Type.String()),
  created: CreatedRange,
  metadata: MetadataFilter,
});
