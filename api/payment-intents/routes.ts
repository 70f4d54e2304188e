// The payment intents' operations (spec, operations 1 to 5 and 11; design, section 4).
import {
  invalidRequest,
  invalidRequestError,
  invalidStateTransition,
  resourceMissing,
  signatureVerificationFailed,
} from "#core/errors.ts";
import { get, type Operation, post, publicGet, publicPost } from "../http/operation.ts";
import { BAD_LIMIT, CHAIN_GONE, INTENT_MISSING } from "../http/refusals.ts";
import { attachPayer } from "./attach-payer.ts";
import { cancelIntent } from "./cancel.ts";
import { confirmIntent, confirmPublicIntent } from "./confirm.ts";
import { createIntent } from "./create.ts";
import { listIntents } from "./list.ts";
import { retrieveIntent, retrievePublicIntent } from "./retrieve.ts";
import { retrySettlement } from "./retry-settlement.ts";
import {
  AttachPayerBody,
  ConfirmBody,
  CreateIntentBody,
  IntentEnvelope,
  IntentList,
  ListIntentsQuery,
  PublicRetrieveQuery,
  TransactionHashBody,
} from "./schemas.ts";
import { updateTransactionHash } from "./transaction-hash.ts";

const of = { tag: "Payment intents", answer: IntentEnvelope };
const payerAddress = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const moved = (what: string) => [invalidStateTransition(what), INTENT_MISSING];

const confirmation = {
  ...of,
  description:
    "A plain `signature` is enough in test mode, or where the payer has approved the escrow for the amount. What else the " +
    "token allows tells the checkout's `fundingMethods` (docs/funding-methods.md).",
  body: ConfirmBody,
  example: { signature: `0x${"5a".repeat(64)}1b`, payerAddress },
  refusals: [
    signatureVerificationFailed(
      "The signature is not payerAddress's over data.typedData. Sign the typed data exactly as it is shown.",
    ),
    invalidRequest(
      "The payer's balance or allowance does not cover the amount. Nothing was changed.",
      "payerAddress",
    ),
    invalidRequest(
      "USDT does not allow ERC_3009 here: expected one of the checkout's fundingMethods.",
      "fundingMethod",
    ),
    CHAIN_GONE,
    ...moved("A payment intent in status SUCCEEDED cannot be confirmed."),
  ],
};

export const paymentIntentOperations: Operation[] = [
  post("/payment-intents", createIntent, {
    ...of,
    id: "createPaymentIntent",
    summary: "Create a payment intent",
    description: "The answer's `data.typedData` is what the payer signs; `data.paymentUrl` is where he can.",
    body: CreateIntentBody,
    example: {
      amount: "100.00",
      currency: "USDC",
      type: "DELIVERY_VS_PAYMENT",
      settlementMethod: "OFF_RAMP_MOCK",
      settlementDestination: "bank_account_123",
      description: "Order 1234",
      metadata: { orderId: "1234" },
      autoRelease: true,
    },
    refusals: [
      invalidRequestError("Invalid amount: it must be greater than zero.", "amount"),
      invalidRequest(
        "Invalid amount: OFF_RAMP_TO_BANK carries at least 1.00 USDC, in steps of 0.01.",
        "amount",
      ),
      invalidRequest(
        "A TIME_LOCKED payment needs metadata.timeLockUntil in Unix seconds.",
        "metadata.timeLockUntil",
      ),
      invalidRequest("The escrow takes no new payments in DAI right now.", "currency"),
    ],
    limit: "create",
  }),
  get("/payment-intents", listIntents, {
    ...of,
    id: "listPaymentIntents",
    summary: "List payment intents",
    query: ListIntentsQuery,
    answer: IntentList,
    refusals: [BAD_LIMIT, resourceMissing("There is no payment intent 'intent_…'.", "starting_after")],
  }),
  get("/payment-intents/:intentId", retrieveIntent, {
    ...of,
    id: "retrievePaymentIntent",
    summary: "Retrieve a payment intent",
    refusals: [INTENT_MISSING],
    limit: "retrieve",
  }),
  publicGet("/payment-intents/public/:intentId", retrievePublicIntent, {
    ...of,
    id: "retrievePublicPaymentIntent",
    summary: "Retrieve a payment intent without a key",
    description:
      "In live mode, and in test mode once the order is on chain, the settlement destination is masked to four characters, " +
      "and metadata whose key begins with `private_` is left out.",
    query: PublicRetrieveQuery,
    refusals: [
      invalidRequest(
        "Invalid payerAddress: expected an address: 0x and 40 hexadecimal characters.",
        "payerAddress",
      ),
      INTENT_MISSING,
    ],
  }),
  post("/payment-intents/:intentId/confirm", confirmIntent, {
    ...confirmation,
    id: "confirmPaymentIntent",
    summary: "Confirm with the payer's signature",
    limit: "confirm",
  }),
  post("/payment-intents/:intentId/cancel", cancelIntent, {
    ...of,
    id: "cancelPaymentIntent",
    summary: "Cancel before funding",
    refusals: moved("A payment intent in status SUCCEEDED cannot be canceled."),
  }),
  post("/payment-intents/:intentId/settlement/retry", retrySettlement, {
    ...of,
    id: "retrySettlement",
    summary: "Retry a failed settlement",
    needs: "release",
    refusals: moved("A payment intent in status SUCCEEDED has no failed settlement to retry."),
  }),
  publicPost("/payment-intents/public/:intentId/payer", attachPayer, {
    ...of,
    id: "attachPayer",
    summary: "Say who will pay",
    description: "Used by the payment page. It can be said again, and excludes nobody.",
    body: AttachPayerBody,
    example: { payerAddress },
    refusals: moved("A payment intent in status SUCCEEDED takes no payer."),
  }),
  publicPost("/payment-intents/public/:intentId/confirm", confirmPublicIntent, {
    ...confirmation,
    id: "confirmPublicPaymentIntent",
    summary: "Hand in the payer's signature without a key",
    description: `Used by the payment page: who brings the signature makes no difference. ${confirmation.description}`,
  }),
  publicPost("/payment-intents/public/:intentId/transaction-hash", updateTransactionHash, {
    ...of,
    id: "tellTransactionHash",
    summary: "Tell the hash of the payer's own transaction",
    description: "A hint: the transaction is checked on chain, and one that is unknown moves nothing.",
    body: TransactionHashBody,
    example: { transactionHash: `0x${"d4".repeat(32)}` },
    refusals: [
      invalidRequest("This transaction does not pay for this payment intent.", "transactionHash"),
      CHAIN_GONE,
      INTENT_MISSING,
    ],
  }),
];
