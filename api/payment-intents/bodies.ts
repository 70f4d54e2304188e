// Request bodies of payment intents (spec, "Endpoints"). The `errorMessage` of a field describes the values that
// it accepts.
import { Type } from "@sinclair/typebox";
import { TERMS_METADATA } from "#core/search/derive-search-terms.ts";
import {
  AddressText,
  Bytes32,
  Currency,
  described,
  EXAMPLE_ADDRESS,
  FundingMethod,
  PaymentType,
  SettlementMethod,
} from "./schemas.ts";

/** Ten years, because the contract does not keep an order open for longer. */
export const MAX_DELIVERY_PERIOD = 3650 * 86_400;

/** Minimum funding period in seconds, which is enough time for a payer to read and sign. */
const MIN_EXPIRY = 300;
/** Maximum funding period in seconds, because a fiat price is not valid for longer. */
const MAX_EXPIRY = 30 * 86_400;

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

/** Limits the length of a key with a pattern, because a record ignores all other constraints on its keys. */
const METADATA_KEY = Type.String({ pattern: "^[\\s\\S]{1,100}$" });

export const MAX_METADATA_KEYS = 50;

const Metadata = Type.Record(METADATA_KEY, METADATA_VALUE, {
  title: "Metadata",
  additionalProperties: false,
  maxProperties: MAX_METADATA_KEYS,
  errorMessage: "an object of at most 50 keys (100 characters each) with values of at most 1000 characters",
});

/** The allowed hosts depend on the account, so requireReturnUrls checks them. */
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
    expiresIn: Type.Optional(
      Type.Integer({
        minimum: MIN_EXPIRY,
        maximum: MAX_EXPIRY,
        errorMessage: `a whole number of seconds from ${MIN_EXPIRY} to ${MAX_EXPIRY}`,
        description: `How long the payment can be funded, in seconds, from ${MIN_EXPIRY} to ${MAX_EXPIRY}. Defaults to the gateway's configuration (seven days). Shortened by a time lock that ends earlier.`,
      }),
    ),
    expectedDeliveryHash: Type.Optional(Bytes32),
    autoRelease: Type.Optional(Type.Boolean({ errorMessage: "true or false" })),
    deliveryOracle: Type.Optional(AddressText),
    returnUrl: Type.Optional(described(ReturnUrl, "The URL that the payment page links to after payment.")),
    cancelUrl: Type.Optional(described(ReturnUrl, "The URL that the payment page links to before payment.")),
    payerAddress: Type.Optional(
      described(
        AddressText,
        "The only account that may pay, fixed in the order's terms. If omitted, any account may pay.",
      ),
    ),
  },
  {
    title: "CreatePaymentIntent",
    additionalProperties: false,
    examples: [
      {
        amount: "100.00",
        currency: "USDC",
        type: "DELIVERY_VS_PAYMENT",
        settlementMethod: "OFF_RAMP_MOCK",
        settlementDestination: "bank_account_123",
        description: "Order 1234",
        metadata: { orderId: "1234" },
        autoRelease: true,
      },
    ],
  },
);

export const UpdateIntentBody = Type.Object(
  {
    description: Type.Optional(
      Type.Union([Type.String({ maxLength: 1000 }), Type.Null()], {
        description: "Null or an empty string removes the description.",
        errorMessage: "a text of at most 1000 characters, or null",
      }),
    ),
    metadata: Type.Optional(
      described(
        Metadata,
        "Merged by key: omitted keys are unchanged; null or an empty string removes a key. " +
          `The keys ${TERMS_METADATA.join(", ")} cannot be changed.`,
      ),
    ),
  },
  {
    title: "UpdatePaymentIntent",
    additionalProperties: false,
    examples: [{ description: "Order 1234, second delivery", metadata: { orderId: "1234-2", note: null } }],
  },
);

export const ConfirmBody = Type.Object(
  {
    // The format is not validated here, because the signature is verified after the other checks of the body.
    signature: Type.String({
      minLength: 1,
      maxLength: 20_000,
      errorMessage: "the payer's EIP-712 signature as hex",
      description:
        "The payer's signature over data.typedData, or over the typed data of ERC_3009 or PERMIT2 for those methods.",
    }),
    payerAddress: AddressText,
    fundingMethod: Type.Optional(FundingMethod),
    permitSignature: Type.Optional(
      Type.String({
        maxLength: 132,
        errorMessage: "the payer's EIP-712 signature over Permit as hex",
        description:
          "For ERC_2612 and DAI_PERMIT: the payer's signature over the token's Permit. A DAI permit allows any amount " +
          "until it is revoked.",
      }),
    ),
  },
  {
    title: "ConfirmPaymentIntent",
    additionalProperties: false,
    examples: [{ signature: `0x${"5a".repeat(64)}1b`, payerAddress: EXAMPLE_ADDRESS }],
  },
);

export const TransactionHashBody = Type.Object(
  { transactionHash: Bytes32 },
  {
    title: "ReportTransactionHash",
    additionalProperties: false,
    examples: [{ transactionHash: `0x${"d4".repeat(32)}` }],
  },
);

export const AttachPayerBody = Type.Object(
  { payerAddress: AddressText },
  { title: "AttachPayer", additionalProperties: false, examples: [{ payerAddress: EXAMPLE_ADDRESS }] },
);
