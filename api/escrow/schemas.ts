// Shapes of the escrow's requests and answers (spec, "Conditional payment" and "Delivery proof").
import { Type } from "@sinclair/typebox";
import { ORDER_SETTLEMENT_STATUSES, ORDER_STATUSES_SHOWN } from "#core/intent/order-status.ts";
import { AddressText, Bytes32, oneOf, RELEASE_TYPES_SHOWN } from "../payment-intents/schemas.ts";

const SecondsText = Type.String({ pattern: "^\\d+$" });
const IsoTime = Type.String({ format: "date-time" });
const orNull = (schema: ReturnType<typeof Type.String>) => Type.Union([schema, Type.Null()]);

export const ConditionalPaymentEnvelope = Type.Object({
  id: Type.String(),
  object: Type.Literal("conditional_payment"),
  data: Type.Object({
    id: Type.String(),
    paymentIntentId: Type.String(),
    orderId: Type.String(),
    merchantId: Type.String(),
    contractAddress: AddressText,
    buyerAddress: Type.Union([AddressText, Type.Null()]),
    tokenAddress: AddressText,
    amount: Type.String(),
    deliveryPeriod: Type.Integer(),
    deliveryDeadline: SecondsText,
    expectedDeliveryHash: Bytes32,
    actualDeliveryHash: Type.Union([Bytes32, Type.Null()]),
    autoReleaseOnProof: Type.Boolean(),
    deliveryOracle: Type.Optional(AddressText),
    releaseType: oneOf(RELEASE_TYPES_SHOWN),
    timeLockUntil: orNull(SecondsText),
    orderStatus: oneOf(ORDER_STATUSES_SHOWN),
    settlementStatus: oneOf(ORDER_SETTLEMENT_STATUSES),
    disputeWindow: SecondsText,
    disputeRaisedAt: orNull(SecondsText),
    disputeReason: Type.Union([Type.String(), Type.Null()]),
    disputeRaisedBy: Type.Union([AddressText, Type.Null()]),
    createTxHash: Type.Union([Bytes32, Type.Null()]),
    releasedAt: orNull(SecondsText),
    settlementScheduledAt: orNull(SecondsText),
    createdAt: IsoTime,
    updatedAt: IsoTime,
  }),
});

const Signature = Type.Unsafe<`0x${string}`>(
  Type.String({ pattern: "^0x([0-9a-fA-F]{2})+$", maxLength: 20_000, errorMessage: "a signature as hex" }),
);

export const DeliveryProofBody = Type.Object(
  {
    proofHash: Bytes32,
    proofURI: Type.Optional(
      Type.String({ maxLength: 2048, errorMessage: "a URI of at most 2048 characters" }),
    ),
    submittedBy: AddressText,
    submitTxHash: Type.Optional(Bytes32),
    oracleSignature: Type.Optional(Signature),
  },
  { additionalProperties: false },
);

export const DeliveryProofEnvelope = Type.Object({
  id: Type.String(),
  object: Type.Literal("delivery_proof"),
  data: Type.Object({
    id: Type.String(),
    conditionalPaymentId: Type.String(),
    paymentIntentId: Type.String(),
    proofHash: Bytes32,
    proofURI: Type.Union([Type.String(), Type.Null()]),
    submittedBy: AddressText,
    submittedAt: SecondsText,
    submitTxHash: Bytes32,
    createdAt: IsoTime,
  }),
});

export const DisputeBody = Type.Object(
  {
    reason: Type.String({
      minLength: 1,
      maxLength: 1000,
      pattern: "\\S",
      errorMessage: "a text of 1 to 1000 characters",
    }),
    raisedBy: AddressText,
    disputeWindow: Type.Optional(
      Type.Union([Type.String({ pattern: "^\\d{1,10}$" }), Type.Integer()], {
        errorMessage: 'seconds as a string such as "604800"',
      }),
    ),
  },
  { additionalProperties: false },
);

export const ResolveDisputeBody = Type.Object(
  {
    outcome: oneOf(["MERCHANT_WON", "BUYER_WON", "PARTIAL_REFUND"] as const),
    merchantAmount: Type.Optional(Type.String({ errorMessage: 'a positive decimal string such as "40.00"' })),
    payerSignature: Type.Optional(Signature),
    merchantSignature: Type.Optional(Signature),
  },
  { additionalProperties: false },
);

export const EscrowMoved = Type.Object({
  object: Type.Literal("conditional_payment"),
  status: oneOf(["shipped", "released", "refunded"] as const),
});

export const DisputeEnvelope = Type.Object({
  object: Type.Literal("dispute"),
  status: oneOf(["raised", "resolved"] as const),
});
