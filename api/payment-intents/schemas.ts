// Schemas of payment intents and of fields that other responses share (spec, "Payment intent"). Schemas with a
// title become components of the OpenAPI document.
import { type TNull, type TSchema, type TUnion, Type } from "@sinclair/typebox";
import { FUNDING_METHODS } from "#core/chain/funding-methods.ts";
import { RELEASE_TYPES } from "#core/chain/terms.ts";
import { INTENT_STATUSES } from "#core/model/intent-status.ts";
import { MERCHANT_STATUSES } from "#core/model/merchant-status.ts";
import { SETTLEMENT_METHODS } from "#core/model/settlement-method.ts";
import { CURRENCIES } from "#core/money.ts";
import { amountField, idField, objectField } from "../http/fields.ts";

export const oneOf = <const T extends readonly string[]>(values: T, title?: string, description?: string) =>
  Type.Unsafe<T[number]>(
    Type.String({
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      enum: [...values],
      pattern: `^(${values.join("|")})$`,
      errorMessage: `one of ${values.join(", ")}`,
    }),
  );

/** Represents null in responses, because the OpenAPI plugin would otherwise inline a nullable component. */
const NULL_ANSWER = Type.Any({ const: null });

/** @param description defaults to the schema's own description */
export function nullable<T extends TSchema>(schema: T, description = schema.description) {
  const said = description === undefined ? {} : { description };
  return schema.title === undefined
    ? Type.Union([{ ...schema, ...said } as T, Type.Null()])
    : (Type.Union([schema, NULL_ANSWER], said) as unknown as TUnion<[T, TNull]>);
}

/** Copies a schema with a separate description. The copy has no title, so it is not a shared component. */
export function described<T extends TSchema>({ title: _, ...schema }: T, description: string): T {
  return { ...schema, description } as unknown as T;
}

export const EXAMPLE_ADDRESS = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

export const AddressText = Type.Unsafe<`0x${string}`>(
  Type.String({
    title: "Address",
    pattern: "^0x[0-9a-fA-F]{40}$",
    errorMessage: "an address: 0x and 40 hexadecimal characters",
    examples: [EXAMPLE_ADDRESS],
  }),
);

export const Bytes32 = Type.Unsafe<`0x${string}`>(
  Type.String({
    title: "Bytes32",
    pattern: "^0x[0-9a-fA-F]{64}$",
    errorMessage: "a 32-byte hash: 0x and 64 hexadecimal characters",
    examples: ["0x9c22ff5f21f0b81b113e63f7db6da94fedef11b2119b4088b89664fb9a3cb658"],
  }),
);

export const INTENT_TYPES = ["CONDITIONAL", "DELIVERY_VS_PAYMENT"] as const;

export const Currency = Type.String({
  title: "Currency",
  description: "The symbol of a token on the network. The gateway's configuration lists the supported tokens",
  examples: CURRENCIES,
  maxLength: 12,
});
/** An unknown type has a separate error code (spec, "Errors"). */
export const PaymentType = {
  ...oneOf(
    INTENT_TYPES,
    "PaymentType",
    "DELIVERY_VS_PAYMENT holds the funds in escrow; CONDITIONAL is deprecated and releases them immediately.",
  ),
  errorCode: "invalid_request_error",
};
export const SettlementMethod = oneOf(
  SETTLEMENT_METHODS,
  "SettlementMethod",
  "How released funds are paid out: simulated, in real time, or by bank transfer.",
);
/** The merchant's metadata as returned by the API. */
export const StoredMetadata = Type.Record(Type.String(), Type.Unknown(), {
  title: "StoredMetadata",
  description: "The merchant's metadata. Payment intents also show tokenAddress and contractMerchantId here.",
});

export const FundingMethod = oneOf(
  FUNDING_METHODS,
  "FundingMethod",
  "How the payer authorizes the escrow to transfer the amount (docs/funding-methods.md).",
);

export const UnixSeconds = Type.Integer({
  title: "UnixSeconds",
  description: "A timestamp in Unix seconds.",
  examples: [1767225600],
});
const PHASES = [
  "SIGNATURE_VERIFICATION",
  "BLOCKCHAIN_CONFIRMATION",
  "ESCROW_LOCKED",
  "AWAITING_DELIVERY_PROOF",
  "SETTLEMENT",
] as const;

export const Phase = Type.Object(
  {
    phase: oneOf(PHASES, undefined, "The phase's name; the values are listed in order."),
    status: oneOf(["IN_PROGRESS", "COMPLETED", "FAILED"] as const, undefined, "The phase's status."),
    startedAt: Type.Optional(described(UnixSeconds, "When the phase started, in Unix seconds.")),
    completedAt: Type.Optional(described(UnixSeconds, "When the phase ended, in Unix seconds.")),
  },
  { title: "Phase" },
);

const TypedDataFields = Type.Array(
  Type.Object({
    name: Type.String({ description: "The field's name." }),
    type: Type.String({ description: "A Solidity type, or another type in `types`." }),
  }),
);

export const TypedData = Type.Object(
  {
    types: Type.Record(Type.String(), TypedDataFields, {
      description: "The fields of each type, in order, including EIP712Domain.",
    }),
    primaryType: Type.String({ description: "The name of the message's type." }),
    domain: Type.Object(
      {
        name: Type.String({ description: "The name in the EIP-712 domain." }),
        version: Type.String({ description: "The version in the EIP-712 domain." }),
        chainId: Type.Integer({ description: "The id of the chain on which the signature is valid." }),
        verifyingContract: described(AddressText, "The escrow contract."),
      },
      { description: "The EIP-712 domain: the contract and the chain for which the signature is valid." },
    ),
    message: Type.Record(Type.String(), Type.Union([Type.String(), Type.Integer()]), {
      description: "The message that the payer signs.",
    }),
  },
  { title: "TypedData", description: "EIP-712 typed data, to be signed by the payer without changes" },
);

const SettlementStatus = nullable(
  oneOf(["PENDING", "IN_PROGRESS", "COMPLETED", "FAILED"] as const, "SettlementStatus"),
  "The status of the fiat payout; null if there will be none.",
);
export const IntentStatus = oneOf(
  INTENT_STATUSES,
  "PaymentIntentStatus",
  "The payment's status, derived from the chain and the payouts.",
);
export const MerchantStatus = oneOf(
  MERCHANT_STATUSES,
  "MerchantStatus",
  "The payment's status in the merchant's terms, derived from the status of the intent and of the escrow.",
);
const TransactionHash = nullable(
  Bytes32,
  "The hash of the transaction that funds the order; null until one is known.",
);
const Phases = nullable(Type.Array(Phase), "The phases of the payment so far, in order.");
const Created = described(UnixSeconds, "Creation time, in Unix seconds.");
const Updated = described(UnixSeconds, "When it was last updated, in Unix seconds.");

export const IntentData = Type.Object(
  {
    id: idField("payment intent", `intent_${"a".repeat(64)}`),
    object: objectField("payment_intent"),
    merchantId: Type.String({ description: "The id of the merchant's account." }),
    status: IntentStatus,
    merchantStatus: MerchantStatus,
    amount: amountField("The amount that the payer pays"),
    currency: Currency,
    type: PaymentType,
    description: Type.Optional(Type.String({ description: "The description shown to the payer." })),
    settlementMethod: SettlementMethod,
    settlementDestination: Type.String({
      description:
        "The destination of the fiat payout. In public responses, it is masked in live mode and once the order is on chain.",
    }),
    settlementStatus: SettlementStatus,
    disputed: Type.Boolean({
      description: "Whether the escrow order is in dispute. No funds move until the dispute ends.",
    }),
    contractAddress: nullable(AddressText, "The escrow contract."),
    transactionHash: TransactionHash,
    chainId: nullable(Type.Integer(), "The id of the contract's chain."),
    typedData: nullable(TypedData, "The typed data that the payer signs, without changes."),
    signature: nullable(
      Type.String({
        description:
          "The payer's signature over the message that the fundingMethod requires (docs/funding-methods.md).",
      }),
    ),
    fundingMethod: nullable(FundingMethod, "The funding method that the payer signed for; null until then."),
    payerAddress: nullable(
      AddressText,
      "The only account that may pay, if the payment was created for a specific payer.",
    ),
    signerAddress: nullable(AddressText, "The account that signed or paid; null until one has."),
    phases: Phases,
    metadata: nullable(StoredMetadata, "The merchant's metadata, plus tokenAddress and contractMerchantId."),
    paymentUrl: Type.String({
      description: "The URL of the payment page, where the payer reviews and pays.",
    }),
    returnUrl: nullable(
      Type.String({ description: "The URL that the payment page links to after payment." }),
    ),
    cancelUrl: nullable(
      Type.String({ description: "The URL that the payment page links to before payment." }),
    ),
    estimatedFee: amountField("The estimated cost of the payout, in the payment's currency", "0.25"),
    estimatedDeliveryTime: Type.String({
      description: "The estimated duration of the payout, with its unit.",
      examples: ["30s", "3d"],
    }),
    expiresAt: Type.Integer({
      description: "When the payment expires, in Unix seconds: the order's fundingDeadline.",
      examples: [1767830400],
    }),
    created: Created,
    updated: Updated,
  },
  { title: "PaymentIntentData", description: "The payment intent's fields." },
);

export const IntentEnvelope = Type.Object(
  {
    id: idField("payment intent"),
    object: objectField("payment_intent"),
    status: IntentStatus,
    data: IntentData,
    created: Created,
    updated: Updated,
    transactionHash: TransactionHash,
    phases: Phases,
    settlementStatus: SettlementStatus,
    metadata: Type.Optional(
      described(StoredMetadata, "The metadata as sent; only in the response to the create request."),
    ),
  },
  { title: "PaymentIntent" },
);

export const PublicRetrieveQuery = Type.Object({
  payerAddress: Type.Optional(
    described(AddressText, "Fills this payer into the typed data, without attaching them to the payment"),
  ),
});

export const RELEASE_TYPES_SHOWN = RELEASE_TYPES.filter((type) => type !== "IMMEDIATE");
