// Schemas of webhook endpoints and their deliveries.
import { Type } from "@sinclair/typebox";
import { EVENT_TYPES } from "#core/model/event-data.ts";
import { idField, Livemode, objectField } from "../http/fields.ts";
import { CreatedRange, listOf, listQuery, OfPaymentIntent } from "../lists/schemas.ts";
import { described, nullable, oneOf, UnixSeconds } from "../payment-intents/schemas.ts";

/** Valid subscriptions: `*`, a kind such as `payment_intent.*`, or an event type. */
const SUBSCRIPTIONS = [
  "*",
  ...new Set(EVENT_TYPES.map((type) => type.replace(/\..*/, ".*"))),
  ...EVENT_TYPES,
];

const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  errorMessage: "a URL of at most 2048 characters",
  examples: ["https://example.com/webhooks"],
});
const EnabledEvents = Type.Array(
  Type.String({
    title: "EnabledEvents",
    enum: SUBSCRIPTIONS,
    pattern: `^(${SUBSCRIPTIONS.map(escaped).join("|")})$`,
    errorMessage: `one of ${SUBSCRIPTIONS.join(", ")}`,
  }),
  {
    minItems: 1,
    maxItems: SUBSCRIPTIONS.length,
    errorMessage: 'event types such as ["payment_intent.succeeded"], kinds such as ["payout.*"], or ["*"]',
  },
);
const Description = Type.String({ maxLength: 500, errorMessage: "a text of at most 500 characters" });

/** Escapes a subscription for a pattern. */
function escaped(text: string): string {
  return text.replace(/[.*]/g, "\\$&");
}

export const CreateEndpointBody = Type.Object(
  {
    url: Url,
    enabledEvents: Type.Optional(EnabledEvents),
    description: Type.Optional(Description),
  },
  {
    title: "CreateWebhookEndpoint",
    additionalProperties: false,
    examples: [
      {
        url: "https://example.com/webhooks",
        enabledEvents: ["payment_intent.*", "payout.failed"],
        description: "Order system",
      },
    ],
  },
);

export const UpdateEndpointBody = Type.Object(
  {
    url: Type.Optional(Url),
    enabledEvents: Type.Optional(EnabledEvents),
    description: Type.Optional(nullable(Description)),
    status: Type.Optional(
      oneOf(
        ["enabled", "disabled"] as const,
        undefined,
        "Whether events are sent to the endpoint. Enabling it sends pending deliveries.",
      ),
    ),
  },
  {
    title: "UpdateWebhookEndpoint",
    additionalProperties: false,
    examples: [{ enabledEvents: ["*"], status: "enabled" }],
  },
);

export const MAX_OVERLAP = 7 * 86_400;

export const RotateSecretBody = Type.Object(
  {
    overlap: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_OVERLAP,
        errorMessage: `a whole number of seconds from 0 to ${MAX_OVERLAP}`,
      }),
    ),
  },
  {
    title: "RotateWebhookSecret",
    additionalProperties: false,
    bodyOptional: true,
    examples: [{ overlap: 3600 }],
  },
);

const endpointFields = {
  id: idField("endpoint", "we_01990a5e3c7e7000a1b2c3d4e5f60718"),
  object: objectField("webhook_endpoint"),
  url: Type.String({ description: "The URL that events are sent to." }),
  description: nullable(Type.String(), "The merchant's description of the endpoint."),
  enabledEvents: Type.Array(Type.String(), {
    description: "The event types to send, kinds such as `payout.*`, or `*` for all.",
  }),
  status: oneOf(["enabled", "disabled"] as const, undefined, "Whether events are sent to the endpoint."),
  disabledReason: nullable(
    oneOf(["gone", "merchant"] as const),
    "Why the endpoint is disabled: `gone` if it responded with 410, `merchant` if the merchant disabled it.",
  ),
  livemode: Livemode,
  created: described(UnixSeconds, "Creation time, in Unix seconds."),
  updated: described(UnixSeconds, "When it was last changed, in Unix seconds."),
};

export const Endpoint = Type.Object(endpointFields, {
  title: "WebhookEndpoint",
  description: "An endpoint that receives events.",
});

/** Returned only when a secret is created. */
export const EndpointWithSecret = Type.Object(
  {
    ...endpointFields,
    secret: Type.String({
      description: "The secret that signs webhooks, returned only in this response.",
      examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    }),
    previousSecretUntil: nullable(
      UnixSeconds,
      "Until when webhooks are also signed with the previous secret, in Unix seconds.",
    ),
  },
  { title: "WebhookEndpointWithSecret" },
);

export const DeletedEndpoint = Type.Object(
  {
    id: idField("endpoint"),
    object: objectField("webhook_endpoint"),
    deleted: Type.Literal(true, { description: "Always true: the endpoint is deleted." }),
  },
  { title: "WebhookEndpointDeleted" },
);

export const DELIVERY_STATUSES = ["pending", "succeeded", "failed"] as const;
const DeliveryStatus = oneOf(DELIVERY_STATUSES, undefined, "What became of it.");

export const Delivery = Type.Object(
  {
    id: idField("delivery"),
    object: objectField("webhook_delivery"),
    webhookEndpointId: Type.String({ description: "The id of the endpoint that receives the event." }),
    eventId: Type.String({ description: "The id of the delivered event." }),
    eventType: oneOf(EVENT_TYPES, "EventType", "The event type: object.verb (docs/webhooks.md)."),
    status: DeliveryStatus,
    nextAttempt: nullable(
      UnixSeconds,
      "When the next attempt is due, in Unix seconds; null if there is none.",
    ),
    created: described(UnixSeconds, "When the delivery was created, in Unix seconds."),
    attempts: Type.Array(
      Type.Object({
        statusCode: nullable(
          Type.Integer(),
          "The response's HTTP status code; null if there was no response.",
        ),
        error: nullable(Type.String(), "Why there was no response."),
        response: nullable(Type.String(), "The beginning of the response body."),
        durationMs: Type.Integer({ description: "The duration of the attempt, in milliseconds." }),
        created: described(UnixSeconds, "Creation time, in Unix seconds."),
      }),
      { description: "Every delivery attempt, in order." },
    ),
  },
  { title: "WebhookDelivery" },
);

export const EndpointList = listOf(Endpoint, "WebhookEndpointList");
export const DeliveryList = listOf(Delivery, "WebhookDeliveryList");

export const ListEndpointsQuery = listQuery({
  created: CreatedRange,
});

export const ListDeliveriesQuery = listQuery({
  status: Type.Optional(DeliveryStatus),
  paymentIntentId: OfPaymentIntent,
  created: CreatedRange,
});
