// Schemas of the escrow's requests and responses (spec, "Conditional payment" and "Delivery proof").
import { Type } from "@sinclair/typebox";
import { API_ORDER_STATUSES, ORDER_SETTLEMENT_STATUSES } from "#core/model/order-status.ts";
import {
  amountField,
  ConditionalPaymentId,
  IsoTime,
  idField,
  objectField,
  PaymentIntentId,
} from "../http/fields.ts";
import { listOf } from "../lists/schemas.ts";
import {
  AddressText,
  Bytes32,
  described,
  EXAMPLE_ADDRESS,
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

export const ConditionalPaymentData = Type.Object(
  {
    id: idField("escrow order"),
    paymentIntentId: PaymentIntentId,
    orderId: Type.String({ description: "The order's id in the contract, as a decimal integer." }),
    merchantId: Type.String({ description: "The id of the merchant's account." }),
    contractAddress: AddressText,
    buyerAddress: nullable(AddressText, "The account that paid; null until then."),
    tokenAddress: AddressText,
    amount: amountField("The amount of the order"),
    deliveryPeriod: Type.Integer({ description: "Seconds from the funding to the delivery deadline." }),
    deliveryDeadline: SecondsText,
    expectedDeliveryHash: Bytes32,
    actualDeliveryHash: nullable(Bytes32, "The hash of the delivery proof; null until one is submitted."),
    autoReleaseOnProof: Type.Boolean({ description: "Whether a valid delivery proof releases the funds." }),
    deliveryOracle: Type.Optional(AddressText),
    releaseType: oneOf(
      RELEASE_TYPES_SHOWN,
      "ReleaseType",
      "What releases the funds (docs/release-types.md).",
    ),
    timeLockUntil: nullable(SecondsText, "When the time lock ends, in Unix seconds; null if there is none."),
    releasedAmount: Type.String({ description: "Released to the merchant so far" }),
    refundedAmount: Type.String({ description: "Returned to the payer so far" }),
    withdrawal: Type.Optional(
      Type.Object(
        {
          amount: amountField("The amount that the payee can withdraw", "0.004"),
          reason: Type.String({ description: "Why the amount is not paid out." }),
        },
        {
          description:
            "Present if the released funds are below the minimum of the settlement method, or more precise than it " +
            "supports. They are not paid out in fiat; the payee withdraws them from the contract",
        },
      ),
    ),
    orderStatus: oneOf(API_ORDER_STATUSES, undefined, "The order's status."),
    settlementStatus: oneOf(ORDER_SETTLEMENT_STATUSES, undefined, "The status of the order's settlement."),
    disputeWindow: SecondsText,
    disputeRaisedAt: nullable(SecondsText, "When the latest dispute was raised, in Unix seconds."),
    disputeReason: nullable(Type.String(), "The reason given for the dispute."),
    disputeRaisedBy: nullable(AddressText, "The account that raised the dispute."),
    disputeSide: Type.Union([oneOf(["PAYER", "MERCHANT"] as const), Type.Null()], {
      description: "The side that the latest dispute counts for on chain",
    }),
    createTxHash: nullable(Bytes32, "The hash of the transaction that created the order; null until then."),
    funded: Type.Boolean({
      description:
        "Whether the order is on chain, which means that the payer's funds have reached the escrow. Until then, the " +
        "terms are provisional, orderStatus is PENDING, and buyerAddress and createTxHash are null.",
    }),
    releasedAt: nullable(SecondsText, "When the funds were released, in Unix seconds."),
    settlementScheduledAt: nullable(SecondsText, "When their settlement was scheduled, in Unix seconds."),
    createdAt: IsoTime("When the payment intent was created"),
    updatedAt: IsoTime("When it was last updated"),
  },
  { title: "ConditionalPaymentData", description: "The escrow order's fields." },
);

export const ConditionalPaymentEnvelope = Type.Object(
  {
    id: idField("escrow order"),
    object: objectField("conditional_payment"),
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
  {
    title: "SubmitDeliveryProof",
    additionalProperties: false,
    examples: [
      {
        proofHash: "0x9c22ff5f21f0b81b113e63f7db6da94fedef11b2119b4088b89664fb9a3cb658",
        proofURI: "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
        submittedBy: EXAMPLE_ADDRESS,
      },
    ],
  },
);

export const DeliveryProofData = Type.Object(
  {
    id: idField("delivery proof"),
    conditionalPaymentId: ConditionalPaymentId,
    paymentIntentId: PaymentIntentId,
    proofHash: Bytes32,
    proofURI: nullable(Type.String(), "The URI of the proof."),
    submittedBy: AddressText,
    submittedAt: SecondsText,
    submitTxHash: Bytes32,
    createdAt: IsoTime("When it was submitted"),
  },
  { title: "DeliveryProofData", description: "The delivery proof's fields." },
);

export const DeliveryProofEnvelope = Type.Object(
  {
    id: idField("delivery proof"),
    object: objectField("delivery_proof"),
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
          "Seconds, from the terms' minimum to 2592000; default 604800. While a time lock is running, the merchant's " +
          "dispute of a TIME_LOCKED payment must end before the lock does, by at least the terms' minimum: the default " +
          "is shortened accordingly, and a longer window is rejected.",
      }),
    ),
    payerSignature: Type.Optional(
      described(
        Signature,
        `The payer's EIP-712 signature over ${DISPUTE}: ` +
          "makes this the payer's dispute. Without it, the dispute counts as the merchant's.",
      ),
    ),
    signatureDeadline: Type.Optional(
      Type.String({
        pattern: "^\\d{1,10}$",
        errorMessage: "Unix seconds as a string",
        description: "The deadline in the message that the payer signed.",
      }),
    ),
  },
  {
    title: "RaiseDispute",
    additionalProperties: false,
    examples: [{ reason: "The parcel did not arrive.", raisedBy: EXAMPLE_ADDRESS, disputeWindow: "604800" }],
  },
);

export const DisputeOutcome = oneOf(
  ["MERCHANT_WON", "BUYER_WON", "PARTIAL_REFUND"] as const,
  "DisputeOutcome",
  "Who receives the funds that are still held: the merchant, the payer, or each a part.",
);

export const ShipBody = Type.Object(
  {
    oracleSignature: Type.Optional(
      described(
        Signature,
        `The deliveryOracle's EIP-712 signature over ${SHIPMENT}, required if the oracle is not one of the order's parties.`,
      ),
    ),
  },
  { title: "MarkShipped", additionalProperties: false, bodyOptional: true, examples: [{}] },
);

export const RefundBody = Type.Object(
  {
    amount: Type.Optional(
      Type.String({
        errorMessage: 'a positive decimal string such as "40.00"',
        description: "The amount to refund. Defaults to everything that is neither released nor refunded.",
        examples: ["40.00"],
      }),
    ),
    refundedAmount: Type.Optional(
      Type.String({
        pattern: "^\\d{1,40}(\\.\\d{1,18})?$",
        errorMessage: 'a decimal string such as "0.00"',
        description:
          "The order's `refundedAmount` as last read by the caller. If it has changed since, nothing is refunded. This " +
          "prevents a double refund when a request is repeated because the first one is not visible yet or was removed " +
          "by a reorg.",
        examples: ["0.00"],
      }),
    ),
  },
  {
    title: "RefundEscrow",
    additionalProperties: false,
    bodyOptional: true,
    examples: [{ amount: "40.00", refundedAmount: "0.00" }],
  },
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
        description: "The deadline in the message that both parties signed.",
      }),
    ),
  },
  {
    title: "ResolveDispute",
    additionalProperties: false,
    examples: [{ outcome: "PARTIAL_REFUND", merchantAmount: "40.00" }],
  },
);

export const EscrowUpdate = Type.Object(
  {
    object: objectField("conditional_payment"),
    status: oneOf(["shipped", "released", "refunded"] as const, undefined, "The action that was performed."),
  },
  { title: "ConditionalPaymentUpdate" },
);

export const DisputeEnvelope = Type.Object(
  {
    object: objectField("dispute"),
    status: oneOf(["raised", "resolved"] as const, undefined, "The action that was performed."),
  },
  { title: "Dispute" },
);
