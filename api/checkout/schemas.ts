// Schema of a payment for the payment page: all data that is needed to verify, make and follow the payment.
import { Type } from "@sinclair/typebox";
import { ORDER_STATUSES, RELEASE_TYPES } from "#core/chain/terms.ts";
import { DISPUTE_SIDES } from "#core/intent/show-escrow.ts";
import { amountField, idField, objectField } from "../http/fields.ts";
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

const secondsOrNull = (what: string) => nullable(UnixSeconds, `${what}, in Unix seconds; null until then.`);
const textOrNull = (description: string) => nullable(Type.String(), description);

const CheckoutTerms = Type.Object(
  {
    salt: Bytes32,
    operator: AddressText,
    arbiter: AddressText,
    deliveryOracle: AddressText,
    payee: AddressText,
    payer: described(AddressText, "The only account that may pay; the zero address allows any account"),
    offRamp: AddressText,
    token: AddressText,
    amount: Type.String({ description: "The amount in the token's smallest unit." }),
    fundingDeadline: described(UnixSeconds, "The funding deadline, in Unix seconds."),
    deliveryPeriod: Type.Integer({ description: "Seconds" }),
    disputeWindow: Type.Integer({ description: "Seconds" }),
    timeLockUntil: described(UnixSeconds, "When the time lock ends, in Unix seconds; 0 if there is none."),
    releaseType: Type.Integer({ description: RELEASE_TYPES.map((name, n) => `${n} ${name}`).join(", ") }),
    autoReleaseOnProof: Type.Boolean({ description: "Whether a valid delivery proof releases the funds." }),
    expectedDeliveryHash: Bytes32,
  },
  {
    title: "OrderTerms",
    description: "The order's terms. keccak256(abi.encode(chainId, contract, terms)) is the intent's id.",
  },
);

const CheckoutOrder = Type.Object({
  status: oneOf(ORDER_STATUSES, undefined, "The order's status on chain."),
  payer: described(AddressText, "The account that paid."),
  fundingTransaction: described(Bytes32, "The hash of the transaction that funded the order."),
  latestTransaction: described(Bytes32, "The hash of the transaction that last changed the order."),
  fundedAt: described(UnixSeconds, "When it was paid, in Unix seconds."),
  deliveryDeadline: described(UnixSeconds, "The delivery deadline, in Unix seconds."),
  proven: Type.Boolean({ description: "Whether a valid delivery proof was submitted." }),
  shippedAt: secondsOrNull("When it was shipped"),
  deliveredAt: secondsOrNull("When a delivery proof was submitted"),
  releasedAt: secondsOrNull("When the full amount was released"),
  endedAt: secondsOrNull("When the order was settled or refunded"),
  released: amountField("Released to the merchant so far", "0.00"),
  refunded: amountField("Returned to the payer so far", "0.00"),
  disputeRaisedAt: secondsOrNull("When the latest dispute was raised"),
  disputeRaisedBy: nullable(AddressText, "The account that raised the latest dispute."),
  disputeSide: nullable(oneOf(DISPUTE_SIDES), "The side that the latest dispute counts for."),
  disputedByPayer: Type.Boolean({ description: "Whether the payer has already raised their one dispute." }),
  disputeReason: textOrNull("The reason given for the latest dispute."),
  disputeDeadline: secondsOrNull("When the latest dispute's window ends"),
  statusBeforeDispute: nullable(
    oneOf(ORDER_STATUSES),
    "The order's status when the latest dispute was raised.",
  ),
  credit: Type.String({
    description:
      "The amount that the payer can claim from the contract in this token, from transfers to the payer that failed.",
  }),
});

const CheckoutSigned = Type.Object(
  { payer: described(AddressText, "The account that signed."), fundingMethod: FundingMethod },
  {
    title: "SignedPayment",
    description:
      "The latest signed payment that the gateway accepted. The payer can revoke it until it is on chain.",
  },
);

const CheckoutMilestone = Type.Object({
  index: Type.Integer({ description: "The milestone's index, starting at 0." }),
  description: textOrNull("What the amount is for."),
  amount: amountField("The amount that it releases"),
  status: oneOf(["PENDING", "COMPLETED", "RELEASED"] as const, undefined, "The milestone's status."),
});

const CheckoutFundingMethod = Type.Object(
  {
    method: FundingMethod,
    domain: Type.Object(
      {
        name: Type.String({ description: "The name in the EIP-712 domain." }),
        version: Type.Optional(Type.String({ description: "The version, if the domain has one." })),
        chainId: Type.Integer({ description: "The id of the chain on which the signature is valid." }),
        verifyingContract: described(AddressText, "The contract that checks the signature."),
      },
      { description: "The EIP-712 domain of the signed message." },
    ),
  },
  {
    title: "FundingOffer",
    description:
      "A funding method that the token supports, and the EIP-712 domain of the message that authorizes the transfer to " +
      "the escrow (docs/funding-methods.md).",
  },
);

export const CheckoutData = Type.Object(
  {
    merchantName: Type.String({ description: "The merchant's name as shown to the payer." }),
    merchantLogoUrl: nullable(Type.String(), "The URL of the merchant's logo."),
    supportEmail: nullable(Type.String(), "The merchant's email address for support."),
    amount: amountField("The amount to pay"),
    currency: Currency,
    decimals: Type.Integer({ description: "The number of decimals of the currency's token" }),
    type: PaymentType,
    description: textOrNull("What the amount is for."),
    returnUrl: nullable(Type.String(), "The URL to send the payer to after payment."),
    cancelUrl: nullable(Type.String(), "The URL to send the payer back to before payment."),
    estimatedFee: amountField("The estimated cost of the payout", "0.25"),
    estimatedDeliveryTime: Type.String({ description: "The estimated duration of the payout." }),
    chainId: Type.Integer({ description: "The id of the contract's chain." }),
    contractAddress: AddressText,
    network: Type.Object(
      {
        name: Type.String({ description: "The network's name." }),
        currency: Type.String({ description: "The network's native currency, used for gas." }),
        explorerUrl: textOrNull("The URL of a block explorer."),
        rpcUrl: nullable(Type.String(), "The URL of a public RPC node."),
      },
      { description: "The payment's network." },
    ),
    testMode: Type.Boolean({
      description: "True if no real funds are involved: a signature is enough to pay.",
    }),
    fundingMethods: Type.Array(CheckoutFundingMethod, {
      description:
        "How the payer can authorize the escrow to transfer the amount; confirm accepts one of them as `fundingMethod`.",
    }),
    tokenListed: Type.Boolean({
      description:
        "False while the escrow accepts no new orders in this token, so the payment cannot be made.",
    }),
    terms: CheckoutTerms,
    typedData: TypedData,
    signed: nullable(CheckoutSigned),
    fundingFailed: Type.Boolean({
      description: "True if the payment's transaction failed, so that nothing was paid.",
    }),
    transactionHash: nullable(
      Bytes32,
      "The hash of the transaction that funds the order; null until one is known.",
    ),
    confirmations: Type.Object(
      {
        seen: Type.Integer({ description: "The number of confirmations so far." }),
        required: Type.Integer({ description: "The number of confirmations required." }),
      },
      { description: "The confirmations of the funding transaction." },
    ),
    order: nullable(CheckoutOrder, "The on-chain order; null until the payment is funded."),
    milestones: Type.Array(CheckoutMilestone, { description: "The milestones, in order." }),
    phases: Type.Array(Phase, { description: "The phases of the payment so far, in order." }),
    movable: Type.Boolean({ description: "False if the payment is orphaned." }),
    created: described(UnixSeconds, "Creation time, in Unix seconds."),
    updated: described(UnixSeconds, "When it was last updated, in Unix seconds."),
  },
  { description: "The data for the payment page." },
);

export const Checkout = Type.Object(
  {
    id: idField("payment intent"),
    object: objectField("checkout"),
    status: IntentStatus,
    data: CheckoutData,
  },
  { title: "Checkout" },
);
