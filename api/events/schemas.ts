// Schemas of events (spec, "Events"), one for each kind of object.
import { type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { EVENT_TYPES, type EventType } from "#core/model/event-data.ts";
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
    {
      object: objectField(object),
      ...fields,
      metadata: described(StoredMetadata, "The payment intent's metadata."),
    },
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
    refundAmount: Type.Optional(amountField("The amount returned by this refund")),
  },
  "EventConditionalPayment",
);

const { createdAt: _, ...proofFields } = DeliveryProofData.properties;
const EventDeliveryProof = eventObject(
  "delivery_proof",
  {
    ...proofFields,
    proven: Type.Boolean({ description: "Whether the submission proves delivery; otherwise it is evidence" }),
  },
  "EventDeliveryProof",
);

const EventDispute = eventObject(
  "dispute",
  {
    id: idField("escrow order"),
    ...OfPayment,
    disputeReason: nullable(Type.String(), "The reason given for the dispute."),
    disputeSide: nullable(oneOf(["PAYER", "MERCHANT"] as const), "The side that the dispute counts for."),
    disputeRaisedBy: nullable(AddressText, "The account that raised the dispute."),
    disputeRaisedAt: SecondsText,
    disputeDeadline: nullable(SecondsText, "When the dispute's window ends, in Unix seconds."),
    status: oneOf(["raised", "resolved"] as const, undefined, "Whether the dispute is open or resolved."),
    outcome: Type.Optional(
      oneOf(
        ["MERCHANT_WON", "BUYER_WON", "PARTIAL_REFUND", "RESUMED"] as const,
        "DisputeResult",
        "The result for the remaining funds (docs/webhooks.md).",
      ),
    ),
    resolution: Type.Optional(
      oneOf(
        ["ARBITER", "AGREEMENT", "TIMEOUT", "CONCESSION"] as const,
        undefined,
        "How the dispute was resolved.",
      ),
    ),
    ...Type.Partial(Type.Object(amounts)).properties,
  },
  "EventDispute",
);

/** An unplanned milestone that the payer released has only these fields. */
const { id, milestoneIndex, amount, status, ...planned } = MilestoneData.properties;
const EventMilestone = eventObject(
  "milestone",
  {
    id,
    ...OfPayment,
    milestoneIndex: nullable(
      milestoneIndex,
      "The milestone's index; null for a milestone that was not planned.",
    ),
    amount,
    status,
    ...Type.Partial(Type.Object(planned)).properties,
    ...OfPayment,
    completedBy: Type.Optional(AddressText),
    completionProof: Type.Optional(nullable(Type.String(), "The proof of completion.")),
    completionProofURI: Type.Optional(nullable(Type.String(), "The URI of the proof.")),
  },
  "EventMilestone",
);

const EventPayout = eventObject(
  "payout",
  {
    id: idField("payout"),
    paymentIntentId: PaymentIntentId,
    amount: amountField("The amount that left the escrow for the payout"),
    currency: Currency,
    settlementMethod: SettlementMethod,
    status: oneOf(["completed", "failed", "returned"] as const, undefined, "What became of it."),
    attempt: Type.Integer({
      description: "The number of this attempt to pay out the amount, starting at 1.",
    }),
    failureReason: nullable(Type.String(), "Why the payout failed or was returned."),
    ...ARRIVED,
    settlementTxHash: nullable(
      Bytes32,
      "The hash of the transaction that moved the amount out of the escrow.",
    ),
    created: described(UnixSeconds, "When the payout was created, in Unix seconds."),
  },
  "EventPayout",
);

const listTypes = (kind: string): EventType[] => EVENT_TYPES.filter((type) => type.startsWith(`${kind}.`));

const event = <T extends TSchema>(kind: string, object: T, title: string) =>
  Type.Object(
    {
      id: idField("event", "evt_01990a5e3c7e7000a1b2c3d4e5f60718"),
      object: objectField("event"),
      type: oneOf(listTypes(kind), undefined, "The event type."),
      created: described(UnixSeconds, "Event time, in Unix seconds."),
      livemode: Livemode,
      paymentIntentId: nullable(Type.String(), "The payment intent."),
      sequence: nullable(
        Type.Integer(),
        "The position among the payment intent's events: 1, 2, 3, without gaps",
      ),
      data: Type.Object(
        {
          object,
          previousAttributes: Type.Optional(
            Type.Record(Type.String(), Type.Unknown(), {
              description: "Previous values of changed fields.",
            }),
          ),
        },
        { description: "The object of the event." },
      ),
    },
    { title },
  );

/** Schemas of events by kind, which is the part of the event type before the dot. */
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
      description: "An event type, or all types of a kind: `payment_intent.*`",
      examples: ["payment_intent.succeeded"],
      pattern: TYPE_PATTERN,
      errorMessage: `one of ${EVENT_TYPES.join(", ")}`,
    }),
  ),
  paymentIntentId: OfPaymentIntent,
  created: CreatedRange,
  metadata: MetadataFilter,
});
