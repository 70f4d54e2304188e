// Shapes of the escrow's requests and answers (spec, "Conditional payment" and "Delivery proof").
import { Type } from "@sinclair/typebox";
import { ORDER_SETTLEMENT_STATUSES, ORDER_STATUSES_SHOWN } from "#core/intent/order-status.ts";
import { listOf } from "../http/list-schemas.ts";
import {
  AddressText,
  Bytes32,
  described,
  nullable,
  oneOf,
  RELEASE_TYPES_SHOWN,
} from "../payment-intents/schemas.ts";
import { DISPUTE, SHIPMENT } from "./signed-messages.ts";

export const SecondsText = Type.String({
  title: "SecondsText",
  pattern: "^\\d+$",
  description: "Unix seconds, or a duration in seconds, as a string",
  examples: ["1767225600"],
});
const IsoTime = Type.String({ format: "date-time" });

export const ConditionalPaymentData = Type.Object(
  {
    id: Type.String(),
    paymentIntentId: Type.String(),
    orderId: Type.String(),
    merchantId: Type.String(),
    contractAddress: AddressText,
    buyerAddress: nullable(AddressText),
    tokenAddress: AddressText,
    amount: Type.String(),
    deliveryPeriod: Type.Integer(),
    deliveryDeadline: SecondsText,
    expectedDeliveryHash: Bytes32,
    actualDeliveryHash: nullable(Bytes32),
    autoReleaseOnProof: Type.Boolean(),
    deliveryOracle: Type.Optional(AddressText),
    releaseType: oneOf(RELEASE_TYPES_SHOWN, "ReleaseType"),
    timeLockUntil: nullable(SecondsText),
    releasedAmount: Type.String({ description: "Released to the merchant so far" }),
    refundedAmount: Type.String({ description: "Returned to the payer so far" }),
    withdrawal: Type.Optional(
      Type.Object(
        { amount: Type.String(), reason: Type.String() },
        {
          description:
            "Present where released funds are less, or more precise, than the settlement method carries: they are not paid " +
            "out as fiat, and the payee withdraws them on the contract",
        },
      ),
    ),
    orderStatus: oneOf(ORDER_STATUSES_SHOWN),
    settlementStatus: oneOf(ORDER_SETTLEMENT_STATUSES),
    disputeWindow: SecondsText,
    disputeRaisedAt: nullable(SecondsText),
    disputeReason: nullable(Type.String()),
    disputeRaisedBy: nullable(AddressText),
    disputeSide: Type.Union([oneOf(["PAYER", "MERCHANT"] as const), Type.Null()], {
      description: "Whose dispute the latest one counts as on chain",
    }),
    createTxHash: nullable(Bytes32),
    funded: Type.Boolean({
      description:
        "Whether the order is on chain: the payer's funds have reached the escrow. Before, the terms are a plan, the " +
        "orderStatus is PENDING, and buyerAddress and createTxHash are null.",
    }),
    releasedAt: nullable(SecondsText),
    settlementScheduledAt: nullable(SecondsText),
    createdAt: IsoTime,
    updatedAt: IsoTime,
  },
  { title: "ConditionalPaymentData" },
);

export const ConditionalPaymentEnvelope = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("conditional_payment"),
    data: ConditionalPaymentData,
  },
  { title: "ConditionalPayment" },
);

const Signature = Type.Unsafe<`0x${string}`>(
  Type.String({
    title: "Signature",
    pattern: "^0x([0-9a-fA-F]{2})+$",
    maxLength: 20_000,
    errorMessage: "a signature as hex",
  }),
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
  { title: "SubmitDeliveryProof", additionalProperties: false },
);

export const DeliveryProofData = Type.Object(
  {
    id: Type.String(),
    conditionalPaymentId: Type.String(),
    paymentIntentId: Type.String(),
    proofHash: Bytes32,
    proofURI: nullable(Type.String()),
    submittedBy: AddressText,
    submittedAt: SecondsText,
    submitTxHash: Bytes32,
    createdAt: IsoTime,
  },
  { title: "DeliveryProofData" },
);

export const DeliveryProofEnvelope = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("delivery_proof"),
    data: DeliveryProofData,
  },
  { title: "DeliveryProof" },
);

export const DeliveryProofList = listOf(DeliveryProofEnvelope, "DeliveryProofList");

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
        description:
          "Seconds, from the terms' minimum to 2592000; default 604800. The merchant's dispute of a TIME_LOCKED payment ends " +
          "the terms' minimum before a lock that still runs: the default is shortened to that, and a longer window refused.",
      }),
    ),
    payerSignature: Type.Optional(
      described(
        Signature,
        `The payer's EIP-712 signature over ${DISPUTE}: ` +
          "the payer's own dispute. Without it, the dispute counts as the merchant's.",
      ),
    ),
    signatureDeadline: Type.Optional(
      Type.String({
        pattern: "^\\d{1,10}$",
        errorMessage: "Unix seconds as a string",
        description: "The deadline that the payer signed.",
      }),
    ),
  },
  { title: "RaiseDispute", additionalProperties: false },
);

export const DisputeOutcome = oneOf(
  ["MERCHANT_WON", "BUYER_WON", "PARTIAL_REFUND"] as const,
  "DisputeOutcome",
);

export const ShipBody = Type.Object(
  {
    oracleSignature: Type.Optional(
      described(
        Signature,
        `The deliveryOracle's EIP-712 signature over ${SHIPMENT}, where it is none of the order's parties.`,
      ),
    ),
  },
  { title: "MarkShipped", additionalProperties: false },
);

export const RefundBody = Type.Object(
  {
    amount: Type.Optional(
      Type.String({
        errorMessage: 'a positive decimal string such as "40.00"',
        description: "Left out: everything that is neither released nor refunded.",
        examples: ["40.00"],
      }),
    ),
  },
  { title: "RefundEscrow", additionalProperties: false },
);

export const ResolveDisputeBody = Type.Object(
  {
    outcome: DisputeOutcome,
    merchantAmount: Type.Optional(Type.String({ errorMessage: 'a positive decimal string such as "40.00"' })),
    payerSignature: Type.Optional(Signature),
    merchantSignature: Type.Optional(Signature),
    signatureDeadline: Type.Optional(
      Type.String({
        pattern: "^\\d{1,10}$",
        errorMessage: "Unix seconds as a string",
        description: "The deadline that both signed.",
      }),
    ),
  },
  { title: "ResolveDispute", additionalProperties: false },
);

export const EscrowMoved = Type.Object(
  {
    object: Type.Literal("conditional_payment"),
    status: oneOf(["shipped", "released", "refunded"] as const),
  },
  { title: "ConditionalPaymentMoved" },
);

export const DisputeEnvelope = Type.Object(
  {
    object: Type.Literal("dispute"),
    status: oneOf(["raised", "resolved"] as const),
  },
  { title: "Dispute" },
);
