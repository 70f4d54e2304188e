// Shapes of webhook endpoints and of what was delivered to them.
import { Type } from "@sinclair/typebox";
import { EVENT_TYPES } from "#core/events/event-data.ts";
import { CreatedRange, CURSORS, Limit, listOf } from "../http/list-schemas.ts";
import { nullable, oneOf, UnixSeconds } from "../payment-intents/schemas.ts";

/** `*`, `payment_intent.*` and the like, or a type. */
const WANTED = ["*", ...new Set(EVENT_TYPES.map((type) => type.replace(/\..*/, ".*"))), ...EVENT_TYPES];

const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  errorMessage: "a URL of at most 2048 characters",
  examples: ["https://example.com/webhooks"],
});
const EnabledEvents = Type.Array(
  Type.String({
    title: "EnabledEvents",
    enum: WANTED,
    pattern: `^(${WANTED.map(escaped).join("|")})$`,
    errorMessage: `one of ${WANTED.join(", ")}`,
  }),
  {
    minItems: 1,
    maxItems: WANTED.length,
    errorMessage: 'event types such as ["payment_intent.succeeded"], kinds such as ["payout.*"], or ["*"]',
  },
);
const Description = Type.String({ maxLength: 500, errorMessage: "a text of at most 500 characters" });

/** The types as the pattern takes them. */
function escaped(text: string): string {
  return text.replace(/[.*]/g, "\\$&");
}

export const CreateEndpointBody = Type.Object(
  {
    url: Url,
    enabled_events: Type.Optional(EnabledEvents),
    description: Type.Optional(Description),
  },
  { title: "CreateWebhookEndpoint", additionalProperties: false },
);

export const UpdateEndpointBody = Type.Object(
  {
    url: Type.Optional(Url),
    enabled_events: Type.Optional(EnabledEvents),
    description: Type.Optional(nullable(Description)),
    status: Type.Optional(oneOf(["enabled", "disabled"] as const)),
  },
  { title: "UpdateWebhookEndpoint", additionalProperties: false },
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
  { title: "RotateWebhookSecret", additionalProperties: false },
);

const endpointFields = {
  id: Type.String({ examples: ["we_01990a5e3c7e7000a1b2c3d4e5f60718"] }),
  object: Type.Literal("webhook_endpoint"),
  url: Type.String(),
  description: nullable(Type.String()),
  enabled_events: Type.Array(Type.String()),
  status: oneOf(["enabled", "disabled"] as const),
  disabled_reason: nullable(oneOf(["gone", "merchant"] as const)),
  livemode: Type.Boolean(),
  created: UnixSeconds,
  updated: UnixSeconds,
};

export const Endpoint = Type.Object(endpointFields, { title: "WebhookEndpoint" });

/** Shown when the secret is made, and never again. */
export const EndpointWithSecret = Type.Object(
  {
    ...endpointFields,
    secret: Type.String({ examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] }),
    previous_secret_until: nullable(UnixSeconds),
  },
  { title: "WebhookEndpointWithSecret" },
);

export const DeletedEndpoint = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("webhook_endpoint"),
    deleted: Type.Literal(true),
  },
  { title: "WebhookEndpointDeleted" },
);

export const DELIVERY_STATUSES = ["pending", "succeeded", "failed"] as const;
const DeliveryStatus = oneOf(DELIVERY_STATUSES);

export const Delivery = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("webhook_delivery"),
    webhook_endpoint: Type.String(),
    event: Type.String(),
    event_type: oneOf(EVENT_TYPES, "EventType"),
    status: DeliveryStatus,
    next_attempt: nullable(UnixSeconds),
    created: UnixSeconds,
    attempts: Type.Array(
      Type.Object({
        status_code: nullable(Type.Integer()),
        error: nullable(Type.String()),
        response: nullable(Type.String()),
        duration_ms: Type.Integer(),
        created: UnixSeconds,
      }),
    ),
  },
  { title: "WebhookDelivery" },
);

export const EndpointList = listOf(Endpoint, "WebhookEndpointList");
export const DeliveryList = listOf(Delivery, "WebhookDeliveryList");

export const ListEndpointsQuery = Type.Object({
  limit: Limit,
  ...CURSORS,
  created: CreatedRange,
});

export const ListDeliveriesQuery = Type.Object({
  limit: Limit,
  ...CURSORS,
  status: Type.Optional(DeliveryStatus),
  paymentIntentId: Type.Optional(Type.String()),
  created: CreatedRange,
});
