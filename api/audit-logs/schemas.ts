// Shapes of the audit log.
import { Type } from "@sinclair/typebox";
import { ACTOR_TYPES } from "#core/audit/actors.ts";
import { CreatedRange, CURSORS, Limit, listOf, MetadataFilter } from "../http/list-schemas.ts";
import { nullable, oneOf, StoredMetadata, UnixSeconds } from "../payment-intents/schemas.ts";

const orNull = nullable(Type.String());

const Changes = Type.Record(
  Type.String(),
  Type.Object({
    from: Type.Unknown({ description: "Null: it had no value" }),
    to: Type.Unknown({ description: "Null: it was removed" }),
  }),
);

export const AuditLog = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("audit_log"),
    action: Type.String({ examples: ["payment_intent.confirm"] }),
    actor: Type.Object({
      type: oneOf(ACTOR_TYPES),
      id: Type.Union([Type.String(), Type.Null()], { description: "A key's or a user's id, or an address" }),
    }),
    merchantId: orNull,
    paymentIntentId: orNull,
    resourceId: orNull,
    from: orNull,
    to: orNull,
    requestId: orNull,
    metadata: StoredMetadata,
    changes: Type.Union([Changes, Type.Null()], {
      description:
        "Old and new values by the parameter's name, such as `metadata.orderId`, where the operation changed what somebody entered",
    }),
    created: UnixSeconds,
  },
  { title: "AuditLog" },
);

export const AuditLogList = listOf(AuditLog, "AuditLogList");

export const ListAuditLogsQuery = Type.Object({
  limit: Limit,
  ...CURSORS,
  paymentIntentId: Type.Optional(Type.String()),
  action: Type.Optional(Type.String({ examples: ["payment_intent.confirm"] })),
  actor: Type.Optional(
    Type.String({ description: "A key's id or an address, or all of a type such as `payer`" }),
  ),
  created: CreatedRange,
  metadata: MetadataFilter,
});
