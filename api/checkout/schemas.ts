// What the payment page is told of a payment: everything to check it, to pay it, and to follow it.
import { Type } from "@sinclair/typebox";
import { ORDER_STATUSES, RELEASE_TYPES } from "#core/chain/terms.ts";
import { INTENT_STATUSES } from "#core/intent/status.ts";
import { CURRENCIES } from "#core/money.ts";
import { AddressText, Bytes32, INTENT_TYPES, oneOf, Phase } from "../payment-intents/schemas.ts";

const Seconds = Type.Integer({ description: "Unix seconds" });
const SecondsOrNull = Type.Union([Seconds, Type.Null()]);
const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const HashOrNull = Type.Union([Bytes32, Type.Null()]);

const CheckoutTerms = Type.Object(
  {
    salt: Bytes32,
    operator: AddressText,
    arbiter: AddressText,
    deliveryOracle: AddressText,
    payee: AddressText,
    offRamp: AddressText,
    token: AddressText,
    amount: Type.String({ description: "In the token's smallest unit." }),
    fundingDeadline: Seconds,
    deliveryPeriod: Type.Integer({ description: "Seconds" }),
    disputeWindow: Type.Integer({ description: "Seconds" }),
    timeLockUntil: Seconds,
    releaseType: Type.Integer({ description: RELEASE_TYPES.map((name, n) => `${n} ${name}`).join(", ") }),
    autoReleaseOnProof: Type.Boolean(),
    expectedDeliveryHash: Bytes32,
  },
  { description: "The order's terms. keccak256(abi.encode(chainId, contract, terms)) is the intent's id." },
);

const CheckoutOrder = Type.Object({
  status: oneOf(ORDER_STATUSES),
  payer: AddressText,
  fundingTransaction: Bytes32,
  latestTransaction: Bytes32,
  fundedAt: Seconds,
  deliveryDeadline: Seconds,
  proven: Type.Boolean({ description: "A valid delivery proof was given." }),
  shippedAt: SecondsOrNull,
  deliveredAt: SecondsOrNull,
  releasedAt: SecondsOrNull,
  endedAt: SecondsOrNull,
  released: Type.String(),
  refunded: Type.String(),
  disputeRaisedAt: SecondsOrNull,
  disputeRaisedBy: Type.Union([AddressText, Type.Null()]),
  disputeReason: TextOrNull,
  disputeDeadline: SecondsOrNull,
});

const CheckoutMilestone = Type.Object({
  index: Type.Integer(),
  description: TextOrNull,
  amount: Type.String(),
  status: oneOf(["PENDING", "COMPLETED", "RELEASED"] as const),
});

export const CheckoutData = Type.Object({
  merchantName: Type.String(),
  amount: Type.String(),
  currency: oneOf(CURRENCIES),
  type: oneOf(INTENT_TYPES),
  description: TextOrNull,
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
  terms: CheckoutTerms,
  fundingFailed: Type.Boolean({ description: "The payment's transaction failed: nothing was paid." }),
  transactionHash: HashOrNull,
  confirmations: Type.Object({ seen: Type.Integer(), required: Type.Integer() }),
  order: Type.Union([CheckoutOrder, Type.Null()]),
  milestones: Type.Array(CheckoutMilestone),
  phases: Type.Array(Phase),
  movable: Type.Boolean({ description: "False if it belongs to a chain that is gone." }),
  created: Seconds,
  updated: Seconds,
});

export const Checkout = Type.Object({
  id: Type.String(),
  object: Type.Literal("checkout"),
  status: oneOf(INTENT_STATUSES),
  data: CheckoutData,
});
