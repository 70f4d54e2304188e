// Schemas of the audit log.
import { Type } from "@sinclair/typebox";
import { ACTOR_TYPES } from "#core/audit/actors.ts";
import { queryText } from "../http/declare.ts";
import { idField, objectField } from "../http/fields.ts";
import { CreatedRange, listOf, listQuery, MetadataFilter, OfPaymentIntent } from "../lists/schemas.ts";
import { described, nullable, oneOf, StoredMetadata, UnixSeconds } from "../payment-intents/schemas.ts";

const orNull = (description: string) => nullable(Type.String(), description);

const Changes = Type.Record(
  Type.String(),
  Type.Object({
    from: Type.Unknown({ description: "Null: it had no value" }),
    to: Type.Unknown({ description: "Null: it was removed" }),
  }),
);

export const AuditLog = Type.Object(
  {
    id: idField("entry"),
    object: objectField("audit_log"),
    action: Type.String({ description: "What was done: object.verb.", examples: ["payment_intent.confirm"] }),
    actor: Type.Object(
      {
        type: oneOf(ACTOR_TYPES, undefined, "What kind of party acted."),
        id: nullable(Type.String(), "A key's or a user's id, or an address"),
      },
      { description: "Who did it." },
    ),
    merchantId: orNull("The account that it is about."),
    paymentIntentId: orNull("The payment intent that it is about."),
    resourceId: orNull("What else it is about: a milestone, a payout, a webhook endpoint, a key."),
    from: orNull("The status before, where a status changed."),
    to: orNull("The status after, where a status changed."),
    requestId: orNull("The X-Request-Id of the request that did it."),
    metadata: described(StoredMetadata, "The payment intent's, as it was then."),
    changes: nullable(
      Changes,
      "Old and new values by the parameter's name, such as `metadata.orderId`, where the operation changed what somebody entered",
    ),
    created: described(UnixSeconds, "When it was done, in Unix seconds."),
  },
  { title: "AuditLog" },
);

export const AuditLogList = listOf(AuditLog, "AuditLogList");

export const ListAuditLogsQuery = listQuery({
  paymentIntentId: OfPaymentIntent,
  action: queryText("Only this action, or all whose names contain the text, such as `refund`", {
    examples: ["payment_intent.confirm"],
  }),
  actor: queryText("A key's id or an address, or all of a type such as `payer`"),
  created: CreatedRange,
  metadata: MetadataFilter,
});
