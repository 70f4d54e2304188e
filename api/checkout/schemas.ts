// A payment for the payment page: everything needed to verify it, pay it and follow it.
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
    payer: described(AddressText, "The only account that may pay; zero: any"),
    offRamp: AddressText,
    token: AddressText,
    amount: Type.String({ description: "In the token's smallest unit." }),
    fundingDeadline: described(UnixSeconds, "Until when it can be paid, in Unix seconds."),
    deliveryPeriod: Type.Integer({ description: "Seconds" }),
    disputeWindow: Type.Integer({ description: "Seconds" }),
    timeLockUntil: described(UnixSeconds, "When a time lock ends, in Unix seconds; 0 without one."),
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
  fundingTransaction: described(Bytes32, "The transaction that paid."),
  latestTransaction: described(Bytes32, "The transaction that changed the order last."),
  fundedAt: described(UnixSeconds, "When it was paid, in Unix seconds."),
  deliveryDeadline: described(UnixSeconds, "Until when it is to be delivered, in Unix seconds."),
  proven: Type.Boolean({ description: "A valid delivery proof was given." }),
  shippedAt: secondsOrNull("When it was shipped"),
  deliveredAt: secondsOrNull("When a delivery proof came"),
  releasedAt: secondsOrNull("When all of it was released"),
  endedAt: secondsOrNull("When it was settled or returned"),
  released: amountField("Released to the merchant so far", "0.00"),
  refunded: amountField("Returned to the payer so far", "0.00"),
  disputeRaisedAt: secondsOrNull("When the latest dispute was raised"),
  disputeRaisedBy: nullable(AddressText, "Who raised the latest dispute."),
  disputeSide: nullable(oneOf(DISPUTE_SIDES), "The party that the latest dispute counts for."),
  disputedByPayer: Type.Boolean({ description: "The payer has raised the payer's one dispute." }),
  disputeReason: textOrNull("Why the latest dispute was raised."),
  disputeDeadline: secondsOrNull("When the latest dispute's window ends"),
  statusBeforeDispute: nullable(oneOf(ORDER_STATUSES), "Where the latest dispute found the order."),
  credit: Type.String({
    description:
      "What the payer can claim from the contract in this token: the transfers to the payer that failed.",
  }),
});

const CheckoutSigned = Type.Object(
  { payer: described(AddressText, "The account that signed."), fundingMethod: FundingMethod },
  {
    title: "SignedPayment",
    description: "The latest payment that the gateway took: its payer may revoke it until it is on chain.",
  },
);

const CheckoutMilestone = Type.Object({
  index: Type.Integer({ description: "Its place, from 0 on." }),
  description: textOrNull("What it is for."),
  amount: amountField("What it releases"),
  status: oneOf(["PENDING", "COMPLETED", "RELEASED"] as const, undefined, "How far it is."),
});

const CheckoutFundingMethod = Type.Object(
  {
    method: FundingMethod,
    domain: Type.Object(
      {
        name: Type.String({ description: "The contract's name in EIP-712." }),
        version: Type.Optional(Type.String({ description: "The version, where the domain has one." })),
        chainId: Type.Integer({ description: "The chain on which the signature counts." }),
        verifyingContract: described(AddressText, "The contract that checks the signature."),
      },
      { description: "The EIP-712 domain of what is signed." },
    ),
  },
  {
    title: "FundingOffer",
    description:
      "A way that the token allows, and the EIP-712 domain of what is signed to let the escrow take the amount " +
      "(docs/funding-methods.md).",
  },
);

export const CheckoutData = Type.Object(
  {
    merchantName: Type.String({ description: "Who is paid, as the payer is shown." }),
    merchantLogoUrl: nullable(Type.String(), "The merchant's image."),
    supportEmail: nullable(Type.String(), "Where the merchant helps its payers."),
    amount: amountField("What is paid"),
    currency: Currency,
    decimals: Type.Integer({ description: "Of the currency's token" }),
    type: PaymentType,
    description: textOrNull("What it is for."),
    returnUrl: nullable(Type.String(), "Where the payer's way leads on once it is paid."),
    cancelUrl: nullable(Type.String(), "Where the payer's way leads back to while it is not paid."),
    estimatedFee: amountField("What the payout is expected to cost", "0.25"),
    estimatedDeliveryTime: Type.String({ description: "How long the payout is expected to take." }),
    chainId: Type.Integer({ description: "The chain that the contract is on." }),
    contractAddress: AddressText,
    network: Type.Object(
      {
        name: Type.String({ description: "The network's name." }),
        currency: Type.String({ description: "What gas is paid in." }),
        explorerUrl: textOrNull("A block explorer."),
        rpcUrl: nullable(Type.String(), "A node that anybody may use."),
      },
      { description: "The network that the payment is made on." },
    ),
    testMode: Type.Boolean({ description: "No real money: a signature alone pays." }),
    fundingMethods: Type.Array(CheckoutFundingMethod, {
      description: "How the payer may let the escrow take the amount; confirm takes one as `fundingMethod`.",
    }),
    tokenListed: Type.Boolean({
      description:
        "False while the escrow takes no new orders in this token: the payment cannot be made now.",
    }),
    terms: CheckoutTerms,
    typedData: TypedData,
    signed: nullable(CheckoutSigned),
    fundingFailed: Type.Boolean({ description: "The payment's transaction failed: nothing was paid." }),
    transactionHash: nullable(Bytes32, "The transaction that funds the order; null until one is known."),
    confirmations: Type.Object(
      {
        seen: Type.Integer({ description: "How many blocks deep the funding is." }),
        required: Type.Integer({ description: "How deep it has to be." }),
      },
      { description: "How sure the funding is." },
    ),
    order: nullable(CheckoutOrder, "The order on chain; null until it is paid."),
    milestones: Type.Array(CheckoutMilestone, { description: "The milestones in their order." }),
    phases: Type.Array(Phase, { description: "The steps of the payment so far, in their order." }),
    movable: Type.Boolean({ description: "False if it belongs to a chain that is gone." }),
    created: described(UnixSeconds, "When it was created, in Unix seconds."),
    updated: described(UnixSeconds, "When what is shown changed last, in Unix seconds."),
  },
  { description: "What the page shows." },
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
