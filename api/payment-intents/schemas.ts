// Shapes of the payment intent's requests and answers (spec, "Payment intent" and "Endpoints"). What has a title is a
// component of the OpenAPI document.
import { type TSchema, Type } from "@sinclair/typebox";
import { FUNDING_METHODS } from "#core/chain/funding-methods.ts";
import { RELEASE_TYPES } from "#core/chain/terms.ts";
import { INTENT_STATUSES } from "#core/intent/status.ts";
import { CURRENCIES } from "#core/money.ts";
import { SETTLEMENT_METHODS } from "#core/settlement-methods.ts";
import { CreatedRange, CURSORS, Limit, MetadataFilter } from "../http/list-schemas.ts";

export const oneOf = <const T extends readonly string[]>(values: T, title?: string) =>
  Type.Unsafe<T[number]>(
    Type.String({
      ...(title === undefined ? {} : { title }),
      enum: [...values],
      pattern: `^(${values.join("|")})$`,
      errorMessage: `one of ${values.join(", ")}`,
    }),
  );

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** The same schema with words of its own, in place of a shared one of this title. */
export function described<T extends TSchema>({ title: _, ...schema }: T, description: string): T {
  return { ...schema, description } as unknown as T;
}

export const AddressText = Type.Unsafe<`0x${string}`>(
  Type.String({
    title: "Address",
    pattern: "^0x[0-9a-fA-F]{40}$",
    errorMessage: "an address: 0x and 40 hexadecimal characters",
    examples: ["0x70997970C51812dc3A010C7d01b50e0d17dc79C8"],
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

/** Ten years: the contract holds no order open for longer. */
export const MAX_DELIVERY_PERIOD = 3650 * 86_400;

const METADATA_VALUE = Type.Union(
  [
    Type.String({ maxLength: 1000 }),
    Type.Number(),
    Type.Boolean(),
    Type.Null(),
    Type.Array(Type.Unknown()),
    Type.Record(Type.String(), Type.Unknown()),
  ],
  { errorMessage: "a text of at most 1000 characters, a number, true, false, null, a list or an object" },
);

/** A key's length as a pattern: a record ignores every other bound on its keys. */
const METADATA_KEY = Type.String({ pattern: "^[\\s\\S]{1,100}$" });

export const MAX_METADATA_KEYS = 50;

const Metadata = Type.Record(METADATA_KEY, METADATA_VALUE, {
  title: "Metadata",
  additionalProperties: false,
  maxProperties: MAX_METADATA_KEYS,
  errorMessage: "an object of at most 50 keys (100 characters each) with values of at most 1000 characters",
});

export const Currency = Type.String({
  title: "Currency",
  description: "A token of the network, by its symbol: which there are is the gateway's configuration",
  examples: CURRENCIES,
  maxLength: 12,
});
/** An unknown one has a code of its own (spec, "Errors"). */
export const PaymentType = { ...oneOf(INTENT_TYPES, "PaymentType"), errorCode: "invalid_request_error" };
export const SettlementMethod = oneOf(SETTLEMENT_METHODS, "SettlementMethod");
/** Free data of the merchant's, as it is shown. */
export const StoredMetadata = Type.Record(Type.String(), Type.Unknown(), { title: "StoredMetadata" });

/** Which hosts are allowed is the account's: checked where it is read. */
const ReturnUrl = Type.String({
  maxLength: 2048,
  pattern: "^https?://[^\\s\\\\]+$",
  errorMessage: "an absolute https URL of at most 2048 characters",
  examples: ["https://shop.example.com/orders/1234"],
});

export const CreateIntentBody = Type.Object(
  {
    amount: Type.String({ errorMessage: 'a positive decimal string such as "100.00"', examples: ["100.00"] }),
    currency: Currency,
    type: PaymentType,
    settlementMethod: SettlementMethod,
    settlementDestination: Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: "\\S",
      errorMessage: "where fiat is sent: 1 to 255 characters",
      examples: ["bank_account_123"],
    }),
    description: Type.Optional(
      Type.String({ maxLength: 1000, errorMessage: "a text of at most 1000 characters" }),
    ),
    metadata: Type.Optional(Metadata),
    deliveryPeriod: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_DELIVERY_PERIOD,
        errorMessage: `a whole number of seconds from 1 to ${MAX_DELIVERY_PERIOD}`,
      }),
    ),
    expectedDeliveryHash: Type.Optional(Bytes32),
    autoRelease: Type.Optional(Type.Boolean({ errorMessage: "true or false" })),
    deliveryOracle: Type.Optional(AddressText),
    returnUrl: Type.Optional(described(ReturnUrl, "Where the payment page's link leads once it is paid.")),
    cancelUrl: Type.Optional(described(ReturnUrl, "Where its link leads while it is not paid.")),
    payerAddress: Type.Optional(
      described(
        AddressText,
        "The only account that may pay, bound in the order's terms. Left out, anybody may.",
      ),
    ),
  },
  { title: "CreatePaymentIntent", additionalProperties: false },
);

/** Keys that follow from the order's terms: a change of them would change nothing but what is shown. */
export const FIXED_METADATA = [
  "releaseType",
  "timeLockUntil",
  "autoRelease",
  "tokenAddress",
  "contractMerchantId",
] as const;

export const UpdateIntentBody = Type.Object(
  {
    description: Type.Optional(
      Type.Union([Type.String({ maxLength: 1000 }), Type.Null()], {
        description: "Null or an empty text removes it.",
        errorMessage: "a text of at most 1000 characters, or null",
      }),
    ),
    metadata: Type.Optional(
      described(
        Metadata,
        "Merged by key: keys that are left out stay as they are; null or an empty text removes a key. " +
          `Fixed are ${FIXED_METADATA.join(", ")}.`,
      ),
    ),
  },
  { title: "UpdatePaymentIntent", additionalProperties: false },
);

export const FundingMethod = oneOf(FUNDING_METHODS, "FundingMethod");

export const ConfirmBody = Type.Object(
  {
    // That it is hex at all is part of the signature's verification (design, "what confirm does").
    signature: Type.String({
      minLength: 1,
      maxLength: 20_000,
      errorMessage: "the payer's EIP-712 signature as hex",
      description: "Over data.typedData; with ERC_3009 and PERMIT2 over their typed data instead.",
    }),
    payerAddress: AddressText,
    fundingMethod: Type.Optional(FundingMethod),
    permitSignature: Type.Optional(
      Type.String({
        maxLength: 132,
        errorMessage: "the payer's EIP-712 signature over Permit as hex",
        description:
          "With ERC_2612 and DAI_PERMIT: the payer's signature over the token's Permit. DAI's allows any amount until it is revoked.",
      }),
    ),
  },
  { title: "ConfirmPaymentIntent", additionalProperties: false },
);

export const TransactionHashBody = Type.Object(
  { transactionHash: Bytes32 },
  { title: "ReportTransactionHash", additionalProperties: false },
);

export const AttachPayerBody = Type.Object(
  { payerAddress: AddressText },
  { title: "AttachPayer", additionalProperties: false },
);

export const UnixSeconds = Type.Integer({ title: "UnixSeconds", examples: [1767225600] });
const PHASES = [
  "SIGNATURE_VERIFICATION",
  "BLOCKCHAIN_CONFIRMATION",
  "ESCROW_LOCKED",
  "AWAITING_DELIVERY_PROOF",
  "SETTLEMENT",
] as const;

export const Phase = Type.Object(
  {
    phase: oneOf(PHASES),
    status: oneOf(["IN_PROGRESS", "COMPLETED", "FAILED"] as const),
    startedAt: Type.Optional(UnixSeconds),
    completedAt: Type.Optional(UnixSeconds),
  },
  { title: "Phase" },
);

const TypedDataFields = Type.Array(Type.Object({ name: Type.String(), type: Type.String() }));

export const TypedData = Type.Object(
  {
    types: Type.Record(Type.String(), TypedDataFields),
    primaryType: Type.String(),
    domain: Type.Object({
      name: Type.String(),
      version: Type.String(),
      chainId: Type.Integer(),
      verifyingContract: AddressText,
    }),
    message: Type.Record(Type.String(), Type.Union([Type.String(), Type.Integer()])),
  },
  { title: "TypedData", description: "EIP-712 data: the payer signs it exactly as it is shown" },
);

const SettlementStatus = nullable(
  oneOf(["PENDING", "IN_PROGRESS", "COMPLETED", "FAILED"] as const, "SettlementStatus"),
);
export const IntentStatus = oneOf(INTENT_STATUSES, "PaymentIntentStatus");

export const IntentData = Type.Object(
  {
    id: Type.String({ examples: [`intent_${"a".repeat(64)}`] }),
    object: Type.Literal("payment_intent"),
    merchantId: Type.String(),
    status: IntentStatus,
    amount: Type.String(),
    currency: Currency,
    type: PaymentType,
    description: Type.Optional(Type.String()),
    settlementMethod: SettlementMethod,
    settlementDestination: Type.String(),
    settlementStatus: SettlementStatus,
    disputed: Type.Boolean({
      description: "Whether the escrow order is in dispute: nothing moves until it ends.",
    }),
    contractAddress: nullable(AddressText),
    transactionHash: nullable(Bytes32),
    chainId: nullable(Type.Integer()),
    typedData: nullable(TypedData),
    signature: nullable(
      Type.String({
        description: "The payer's, over what its fundingMethod says (docs/funding-methods.md).",
      }),
    ),
    fundingMethod: nullable(FundingMethod),
    payerAddress: Type.Union([AddressText, Type.Null()], {
      description: "The only account that can pay, if the payment was created for one.",
    }),
    signerAddress: nullable(AddressText),
    phases: nullable(Type.Array(Phase)),
    metadata: nullable(StoredMetadata),
    paymentUrl: Type.String(),
    returnUrl: nullable(Type.String({ description: "Where the payment page's link leads once it is paid." })),
    cancelUrl: nullable(Type.String({ description: "Where its link leads while it is not paid." })),
    estimatedFee: Type.String(),
    estimatedDeliveryTime: Type.String(),
    created: UnixSeconds,
    updated: UnixSeconds,
  },
  { title: "PaymentIntentData" },
);

export const IntentEnvelope = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("payment_intent"),
    status: IntentStatus,
    data: IntentData,
    created: UnixSeconds,
    updated: UnixSeconds,
    transactionHash: nullable(Bytes32),
    phases: nullable(Type.Array(Phase)),
    settlementStatus: SettlementStatus,
    metadata: Type.Optional(StoredMetadata),
  },
  { title: "PaymentIntent" },
);

export const ListIntentsQuery = Type.Object({
  limit: Limit,
  ...CURSORS,
  status: Type.Optional(IntentStatus),
  currency: Type.Optional(Currency),
  created: CreatedRange,
  metadata: MetadataFilter,
});

export const PublicRetrieveQuery = Type.Object({ payerAddress: Type.Optional(AddressText) });

export const RELEASE_TYPES_SHOWN = RELEASE_TYPES.filter((type) => type !== "IMMEDIATE");
