// What the payment page is told of a payment: everything to check it, to pay it, and to follow it.
import { Type } from "@sinclair/typebox";
import { ORDER_STATUSES, RELEASE_TYPES } from "#core/chain/terms.ts";
import { DISPUTE_SIDES } from "#core/intent/show-escrow.ts";
import {
  AddressText,
  Bytes32,
  Currency,
  described,
  FundingMethod,
  IntentStatus,
  nullable,
  oneOf,
  PaymentType,
  Phase,
  TypedData,
  UnixSeconds,
} from "../payment-intents/schemas.ts";

const SecondsOrNull = nullable(UnixSeconds);
const TextOrNull = nullable(Type.String());
const HashOrNull = nullable(Bytes32);

const CheckoutTerms = Type.Object(
  {
    salt: Bytes32,
    operator: AddressText,
    arbiter: AddressText,
    deliveryOracle: AddressText,
    payee: AddressText,
    payer: described(AddressText, "The only account that may pay; zero: any"),
    offRamp: AddressText,
    token: AddressText,
    amount: Type.String({ description: "In the token's smallest unit." }),
    fundingDeadline: UnixSeconds,
    deliveryPeriod: Type.Integer({ description: "Seconds" }),
    disputeWindow: Type.Integer({ description: "Seconds" }),
    timeLockUntil: UnixSeconds,
    releaseType: Type.Integer({ description: RELEASE_TYPES.map((name, n) => `${n} ${name}`).join(", ") }),
    autoReleaseOnProof: Type.Boolean(),
    expectedDeliveryHash: Bytes32,
  },
  {
    title: "OrderTerms",
    description: "The order's terms. keccak256(abi.encode(chainId, contract, terms)) is the intent's id.",
  },
);

const CheckoutOrder = Type.Object({
  status: oneOf(ORDER_STATUSES),
  payer: AddressText,
  fundingTransaction: Bytes32,
  latestTransaction: Bytes32,
  fundedAt: UnixSeconds,
  deliveryDeadline: UnixSeconds,
  proven: Type.Boolean({ description: "A valid delivery proof was given." }),
  shippedAt: SecondsOrNull,
  deliveredAt: SecondsOrNull,
  releasedAt: SecondsOrNull,
  endedAt: SecondsOrNull,
  released: Type.String(),
  refunded: Type.String(),
  disputeRaisedAt: SecondsOrNull,
  disputeRaisedBy: Type.Union([AddressText, Type.Null()]),
  disputeSide: Type.Union([oneOf(DISPUTE_SIDES), Type.Null()], {
    description: "The party that the latest dispute counts for.",
  }),
  disputedByPayer: Type.Boolean({ description: "The payer has raised the payer's one dispute." }),
  disputeReason: TextOrNull,
  disputeDeadline: SecondsOrNull,
  statusBeforeDispute: Type.Union([oneOf(ORDER_STATUSES), Type.Null()], {
    description: "Where the latest dispute found the order.",
  }),
  credit: Type.String({
    description:
      "What the payer can claim from the contract in this token: the transfers to the payer that failed.",
  }),
});

const CheckoutSigned = Type.Object(
  { payer: AddressText, fundingMethod: FundingMethod },
  {
    title: "SignedPayment",
    description: "The latest payment that the gateway took: its payer may revoke it until it is on chain.",
  },
);

const CheckoutMilestone = Type.Object({
  index: Type.Integer(),
  description: TextOrNull,
  amount: Type.String(),
  status: oneOf(["PENDING", "COMPLETED", "RELEASED"] as const),
});

const CheckoutFundingMethod = Type.Object(
  {
    method: FundingMethod,
    domain: Type.Object({
      name: Type.String(),
      version: Type.Optional(Type.String()),
      chainId: Type.Integer(),
      verifyingContract: AddressText,
    }),
  },
  {
    title: "FundingOffer",
    description:
      "A way that the token allows, and the EIP-712 domain of what is signed to let the escrow take the amount " +
      "(docs/funding-methods.md).",
  },
);

export const CheckoutData = Type.Object({
  merchantName: Type.String(),
  amount: Type.String(),
  currency: Currency,
  decimals: Type.Integer({ description: "Of the currency's token" }),
  type: PaymentType,
  description: TextOrNull,
  returnUrl: Type.Union([Type.String(), Type.Null()], {
    description: "Where the payer's way leads on once it is paid.",
  }),
  cancelUrl: Type.Union([Type.String(), Type.Null()], {
    description: "Where the payer's way leads back to while it is not paid.",
  }),
  estimatedFee: Type.String(),
  estimatedDeliveryTime: Type.String(),
  chainId: Type.Integer(),
  contractAddress: AddressText,
  network: Type.Object({
    name: Type.String(),
    currency: Type.String({ description: "What gas is paid in." }),
    explorerUrl: TextOrNull,
    rpcUrl: Type.Union([Type.String(), Type.Null()], { description: "A node that anybody may use." }),
  }),
  testMode: Type.Boolean({ description: "No real money: a signature alone pays." }),
  fundingMethods: Type.Array(CheckoutFundingMethod, {
    description: "How the payer may let the escrow take the amount; confirm takes one as `fundingMethod`.",
  }),
  tokenListed: Type.Boolean({
    description: "False while the escrow takes no new orders in this token: the payment cannot be made now.",
  }),
  terms: CheckoutTerms,
  typedData: TypedData,
  signed: Type.Union([CheckoutSigned, Type.Null()]),
  fundingFailed: Type.Boolean({ description: "The payment's transaction failed: nothing was paid." }),
  transactionHash: HashOrNull,
  confirmations: Type.Object({ seen: Type.Integer(), required: Type.Integer() }),
  order: Type.Union([CheckoutOrder, Type.Null()]),
  milestones: Type.Array(CheckoutMilestone),
  phases: Type.Array(Phase),
  movable: Type.Boolean({ description: "False if it belongs to a chain that is gone." }),
  created: UnixSeconds,
  updated: UnixSeconds,
});

export const Checkout = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("checkout"),
    status: IntentStatus,
    data: CheckoutData,
  },
  { title: "Checkout" },
);
