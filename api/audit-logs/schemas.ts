// Schemas of the audit log.
import { Type } from "@sinclair/typebox";
import { ACTOR_TYPES } from "#core/model/actors.ts";
import { queryText } from "../http/declare.ts";
import { idField, objectField } from "../http/fields.ts";
import { CreatedRange, listOf, listQuery, MetadataFilter, OfPaymentIntent } from "../lists/schemas.ts";
import { described, nullable, oneOf, StoredMetadata, UnixSeconds } from "../payment-intents/schemas.ts";

const orNull = (description: string) => nullable(Type.String(), description);

const Changes = Type.Record(
  Type.String(),
  Type.Object({
    from: Type.Unknown({ description: "Null if the parameter had no value" }),
    to: Type.Unknown({ description: "Null if the value was removed" }),
  }),
);

export const AuditLog = Type.Object(
  {
    id: idField("entry's or event"),
    object: objectField("audit_log"),
    action: Type.String({ description: "The action: object.verb.", examples: ["payment_intent.confirm"] }),
    actor: Type.Object(
      {
        type: oneOf(ACTOR_TYPES, undefined, "The type of the actor."),
        id: nullable(Type.String(), "The id of an API key or a user, or an address"),
      },
      { description: "Who performed the action." },
    ),
    merchantId: orNull("The account that the action concerns."),
    paymentIntentId: orNull("The payment intent."),
    resourceId: orNull(
      "The affected resource besides the payment intent: a milestone, a payout, a webhook endpoint or an API key.",
    ),
    from: orNull("The previous status, if the status changed."),
    to: orNull("The new status, if the status changed."),
    requestId: orNull("The X-Request-Id of the request that performed the action."),
    metadata: described(StoredMetadata, "The payment intent's metadata at the time of the action."),
    changes: nullable(
      Changes,
      "Old and new values by parameter name, such as `metadata.orderId`, if the operation changed values that someone " +
        "had entered",
    ),
    created: described(UnixSeconds, "When the action was performed, in Unix seconds."),
  },
  { title: "AuditLog" },
);

export const AuditLogList = listOf(AuditLog, "AuditLogList");

export const ListAuditLogsQuery = listQuery({
  paymentIntentId: OfPaymentIntent,
  action: queryText("An action, or text contained in action names, such as `refund`", {
    examples: ["payment_intent.confirm"],
  }),
  actor: queryText("A key's id or an address, or an actor type such as `payer`"),
  created: CreatedRange,
  metadata: MetadataFilter,
});
