// Schemas of the payment intent and of fields shared with lists and other responses (spec, "Payment intent"). Schemas
// with a title are components of the OpenAPI document.
import { type TNull, type TSchema, type TUnion, Type } from "@sinclair/typebox";
import { FUNDING_METHODS } from "#core/chain/funding-methods.ts";
import { RELEASE_TYPES } from "#core/chain/terms.ts";
import { MERCHANT_STATUSES } from "#core/intent/merchant-status.ts";
import { INTENT_STATUSES } from "#core/intent/status.ts";
import { CURRENCIES } from "#core/money.ts";
import { SETTLEMENT_METHODS } from "#core/off-ramp/settlement-methods.ts";
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

/** Null in responses: the OpenAPI plugin would otherwise inline a nullable component. */
const NULL_ANSWER = Type.Any({ const: null });

/** @param description the schema's own if absent */
export function nullable<T extends TSchema>(schema: T, description = schema.description) {
  const said = description === undefined ? {} : { description };
  return schema.title === undefined
    ? Type.Union([{ ...schema, ...said } as T, Type.Null()])
    : (Type.Union([schema, NULL_ANSWER], said) as unknown as TUnion<[T, TNull]>);
}

/** The same schema with its own description, instead of a shared one with this title. */
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
  description: "A token of the network, by its symbol: which there are is the gateway's configuration",
  examples: CURRENCIES,
  maxLength: 12,
});
/** An unknown type has a separate error code (spec, "Errors"). */
export const PaymentType = {
  ...oneOf(
    INTENT_TYPES,
    "PaymentType",
    "DELIVERY_VS_PAYMENT holds the money in escrow; CONDITIONAL is deprecated and releases it at once.",
  ),
  errorCode: "invalid_request_error",
};
export const SettlementMethod = oneOf(
  SETTLEMENT_METHODS,
  "SettlementMethod",
  "How released funds are paid out: by a simulation, in real time, or by bank transfer.",
);
/** The merchant's metadata, as returned. */
export const StoredMetadata = Type.Record(Type.String(), Type.Unknown(), {
  title: "StoredMetadata",
  description:
    "The merchant's free data; payment intents show tokenAddress and contractMerchantId beside it.",
});

export const FundingMethod = oneOf(
  FUNDING_METHODS,
  "FundingMethod",
  "How the payer lets the escrow take the amount (docs/funding-methods.md).",
);

export const UnixSeconds = Type.Integer({
  title: "UnixSeconds",
  description: "A moment in Unix seconds.",
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
    phase: oneOf(PHASES, undefined, "A step on the payment's way, in their order."),
    status: oneOf(["IN_PROGRESS", "COMPLETED", "FAILED"] as const, undefined, "How far the step is."),
    startedAt: Type.Optional(described(UnixSeconds, "When it began, in Unix seconds.")),
    completedAt: Type.Optional(described(UnixSeconds, "When it ended, in Unix seconds.")),
  },
  { title: "Phase" },
);

const TypedDataFields = Type.Array(
  Type.Object({
    name: Type.String({ description: "The field's name." }),
    type: Type.String({ description: "Its Solidity type, or another type of the list." }),
  }),
);

export const TypedData = Type.Object(
  {
    types: Type.Record(Type.String(), TypedDataFields, {
      description: "Each type's fields in their order, EIP712Domain among them.",
    }),
    primaryType: Type.String({ description: "The type of the message." }),
    domain: Type.Object(
      {
        name: Type.String({ description: "The contract's name in EIP-712." }),
        version: Type.String({ description: "The version of what is signed." }),
        chainId: Type.Integer({ description: "The chain on which the signature counts." }),
        verifyingContract: described(AddressText, "The escrow contract."),
      },
      { description: "For which contract on which chain the signature counts." },
    ),
    message: Type.Record(Type.String(), Type.Union([Type.String(), Type.Integer()]), {
      description: "What the payer agrees to.",
    }),
  },
  { title: "TypedData", description: "EIP-712 data: the payer signs it exactly as it is shown" },
);

const SettlementStatus = nullable(
  oneOf(["PENDING", "IN_PROGRESS", "COMPLETED", "FAILED"] as const, "SettlementStatus"),
  "How far the payout in fiat is; null where there will be none.",
);
export const IntentStatus = oneOf(
  INTENT_STATUSES,
  "PaymentIntentStatus",
  "Where the payment stands, derived from the chain and the payouts.",
);
export const MerchantStatus = oneOf(
  MERCHANT_STATUSES,
  "MerchantStatus",
  "What the payment is in the merchant's words: derived from its status and the escrow's.",
);
const TransactionHash = nullable(Bytes32, "The transaction that funds the order; null until one is known.");
const Phases = nullable(Type.Array(Phase), "The steps of the payment so far, in their order.");
const Created = described(UnixSeconds, "When it was created, in Unix seconds.");
const Updated = described(UnixSeconds, "When what is shown changed last, in Unix seconds.");

export const IntentData = Type.Object(
  {
    id: idField("payment intent", `intent_${"a".repeat(64)}`),
    object: objectField("payment_intent"),
    merchantId: Type.String({ description: "The account that it belongs to." }),
    status: IntentStatus,
    merchantStatus: MerchantStatus,
    amount: amountField("What the payer pays"),
    currency: Currency,
    type: PaymentType,
    description: Type.Optional(Type.String({ description: "What it is for, as the payer is shown." })),
    settlementMethod: SettlementMethod,
    settlementDestination: Type.String({
      description: "Where fiat is sent; masked for the public in live mode and once the order is on chain.",
    }),
    settlementStatus: SettlementStatus,
    disputed: Type.Boolean({
      description: "Whether the escrow order is in dispute: nothing moves until it ends.",
    }),
    contractAddress: nullable(AddressText, "The escrow contract."),
    transactionHash: TransactionHash,
    chainId: nullable(Type.Integer(), "The chain that the contract is on."),
    typedData: nullable(TypedData, "What the payer signs, exactly as it is shown."),
    signature: nullable(
      Type.String({
        description: "The payer's, over what its fundingMethod says (docs/funding-methods.md).",
      }),
    ),
    fundingMethod: nullable(FundingMethod, "How the payer has signed; null until then."),
    payerAddress: nullable(AddressText, "The only account that can pay, if the payment was created for one."),
    signerAddress: nullable(AddressText, "The account that signed or paid; null until then."),
    phases: Phases,
    metadata: nullable(StoredMetadata, "The merchant's free data, with tokenAddress and contractMerchantId."),
    paymentUrl: Type.String({ description: "The payment page, where the payer reviews and pays." }),
    returnUrl: nullable(Type.String({ description: "Where the payment page's link leads once it is paid." })),
    cancelUrl: nullable(Type.String({ description: "Where its link leads while it is not paid." })),
    estimatedFee: amountField("What the payout is expected to cost, in the payment's currency", "0.25"),
    estimatedDeliveryTime: Type.String({
      description: "How long the payout is expected to take, with its unit.",
      examples: ["30s", "3d"],
    }),
    expiresAt: Type.Integer({
      description: "Until when it can be paid, in Unix seconds: the order's fundingDeadline.",
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
      described(StoredMetadata, "On the answer to creating it alone: the metadata that was sent."),
    ),
  },
  { title: "PaymentIntent" },
);

export const PublicRetrieveQuery = Type.Object({
  payerAddress: Type.Optional(
    described(AddressText, "Shows the typed data with this payer filled in; it attaches nobody"),
  ),
});

export const RELEASE_TYPES_SHOWN = RELEASE_TYPES.filter((type) => type !== "IMMEDIATE");
