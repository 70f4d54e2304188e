// Operations that create and change payment intents, and their public routes (spec, operations 1 and 3 to 5;
// docs/decisions/0011-public-routes.md).
import { Elysia } from "elysia";
import {
  invalidRequest,
  invalidRequestError,
  invalidStateTransition,
  signatureVerificationFailed,
} from "#core/errors.ts";
import { NoBody } from "../http/body.ts";
import { answers, pathParams, queried } from "../http/declare.ts";
import type { RouteMacros } from "../http/route-macros.ts";
import { attachPayer } from "./attach-payer.ts";
import {
  AttachPayerBody,
  ConfirmBody,
  CreateIntentBody,
  TransactionHashBody,
  UpdateIntentBody,
} from "./bodies.ts";
import { cancelIntent } from "./cancel.ts";
import { confirmIntent, confirmPublicIntent } from "./confirm.ts";
import { createIntent } from "./create.ts";
import { CHAIN_UNAVAILABLE, INTENT_MISSING } from "./documented-errors.ts";
import { retrievePublicIntent } from "./retrieve-public.ts";
import { retrySettlement } from "./retry-settlement.ts";
import { badReturnUrl } from "./return-urls.ts";
import { IntentEnvelope, PublicRetrieveQuery } from "./schemas.ts";
import { reportTransactionHash } from "./transaction-hash.ts";
import { fixedKey, NOTHING_GIVEN, updateIntent } from "./update.ts";

const tag = "Payment intents";
const moved = (what: string) => [invalidStateTransition(what), INTENT_MISSING];

const CONFIRMATION =
  "A plain `signature` is sufficient in test mode, or if the payer has approved the escrow for the amount. The checkout's `fundingMethods` lists the other methods that the token supports (docs/funding-methods.md).";
const confirmationRefusals = [
  signatureVerificationFailed(
    "The signature is not payerAddress's signature over data.typedData. Sign the typed data without changes.",
  ),
  invalidRequest(
    "The payer's balance or allowance does not cover the amount. Nothing was changed.",
    "payerAddress",
  ),
  invalidRequest(
    "USDT does not support ERC_3009: expected one of the checkout's fundingMethods.",
    "fundingMethod",
  ),
  CHAIN_UNAVAILABLE,
  ...moved("A payment intent in status SUCCEEDED cannot be confirmed."),
];

export const paymentIntentRoutes = (shared: RouteMacros) =>
  new Elysia({ normalize: false })
    .use(shared)
    .post("/payment-intents", async ({ services, call, body }) => createIntent(services, call, body), {
      access: { permission: "write", endpoint: "create" },
      idempotent: true,
      audit: "payment_intent.create",
      body: CreateIntentBody,
      response: answers(IntentEnvelope, [
        invalidRequestError("Invalid amount: it must be greater than zero.", "amount"),
        invalidRequest(
          "Invalid amount: OFF_RAMP_TO_BANK supports at least 1.00 USDC, in steps of 0.01.",
          "amount",
        ),
        invalidRequest(
          "A TIME_LOCKED payment requires metadata.timeLockUntil in Unix seconds.",
          "metadata.timeLockUntil",
        ),
        invalidRequest("The escrow does not currently accept new payments in DAI.", "currency"),
        badReturnUrl("returnUrl", "expected an https URL"),
      ]),
      detail: {
        operationId: "createPaymentIntent",
        tags: [tag],
        summary: "Create a payment intent",
        description:
          "The payer signs the response's `data.typedData`, for example on the page at `data.paymentUrl`.",
      },
    })
    .patch(
      "/payment-intents/:intentId",
      async ({ services, call, body }) => updateIntent(services, call, body),
      {
        access: { permission: "write" },
        idempotent: true,
        audit: "payment_intent.update",
        params: pathParams("intentId"),
        body: UpdateIntentBody,
        response: answers(IntentEnvelope, [fixedKey("releaseType"), NOTHING_GIVEN, INTENT_MISSING]),
        detail: {
          operationId: "updatePaymentIntent",
          tags: [tag],
          summary: "Change description and metadata",
          description:
            "Allowed in every status. Fields that are part of the order's terms cannot change, because the hash of the " +
            "terms is the order's id. The audit log records old and new values. No event is emitted, and earlier events" +
            " are unchanged.",
        },
      },
    )
    .get(
      "/payment-intents/public/:intentId",
      async ({ services, call, query }) => retrievePublicIntent(services, call, query),
      {
        open: true,
        params: pathParams("intentId"),
        ...queried(PublicRetrieveQuery),
        response: answers(IntentEnvelope, [
          invalidRequest(
            "Invalid payerAddress: expected an address: 0x and 40 hexadecimal characters.",
            "payerAddress",
          ),
          INTENT_MISSING,
        ]),
        detail: {
          operationId: "retrievePublicPaymentIntent",
          tags: [tag],
          summary: "Retrieve a payment intent without a key",
          description:
            "In live mode, and in test mode once the order is on chain, the settlement destination is masked except for" +
            " its last four characters, and metadata keys that begin with `private_` are omitted.",
        },
      },
    )
    .post(
      "/payment-intents/:intentId/confirm",
      async ({ services, call, body }) => confirmIntent(services, call, body),
      {
        access: { permission: "write", endpoint: "confirm" },
        idempotent: true,
        audit: "payment_intent.confirm",
        params: pathParams("intentId"),
        body: ConfirmBody,
        response: answers(IntentEnvelope, confirmationRefusals),
        detail: {
          operationId: "confirmPaymentIntent",
          tags: [tag],
          summary: "Confirm with the payer's signature",
          description: CONFIRMATION,
        },
      },
    )
    .post("/payment-intents/:intentId/cancel", async ({ services, call }) => cancelIntent(services, call), {
      access: { permission: "write" },
      idempotent: true,
      audit: "payment_intent.cancel",
      params: pathParams("intentId"),
      body: NoBody,
      response: answers(IntentEnvelope, moved("A payment intent in status SUCCEEDED cannot be canceled.")),
      detail: {
        operationId: "cancelPaymentIntent",
        tags: [tag],
        summary: "Cancel before funding",
        description: "No funds move. Funds that arrive after the cancellation are refunded automatically.",
      },
    })
    .post(
      "/payment-intents/:intentId/settlement/retry",
      async ({ services, call }) => retrySettlement(services, call),
      {
        access: { permission: "release" },
        idempotent: true,
        audit: "payout.retry",
        params: pathParams("intentId"),
        body: NoBody,
        response: answers(
          IntentEnvelope,
          moved("A payment intent in status SUCCEEDED has no failed settlement to retry."),
        ),
        detail: {
          operationId: "retrySettlement",
          tags: [tag],
          summary: "Retry a failed settlement",
          description: "Creates a new attempt for a payout that failed permanently.",
        },
      },
    )
    .post(
      "/payment-intents/public/:intentId/payer",
      async ({ services, call, body }) => attachPayer(services, call, body),
      {
        open: true,
        idempotent: true,
        audit: "payment_intent.attach_payer",
        params: pathParams("intentId"),
        body: AttachPayerBody,
        response: answers(
          IntentEnvelope,
          moved("A payment intent in status SUCCEEDED does not accept a payer."),
        ),
        detail: {
          operationId: "attachPayer",
          tags: [tag],
          summary: "Attach a payer",
          description:
            "Used by the payment page. Can be repeated, and does not prevent another account from paying.",
        },
      },
    )
    .post(
      "/payment-intents/public/:intentId/confirm",
      async ({ services, call, body }) => confirmPublicIntent(services, call, body),
      {
        open: true,
        idempotent: true,
        audit: "payment_intent.confirm",
        params: pathParams("intentId"),
        body: ConfirmBody,
        response: answers(IntentEnvelope, confirmationRefusals),
        detail: {
          operationId: "confirmPublicPaymentIntent",
          tags: [tag],
          summary: "Confirm with the payer's signature without a key",
          description: `Used by the payment page: anyone may submit the signature. ${CONFIRMATION}`,
        },
      },
    )
    .post(
      "/payment-intents/public/:intentId/transaction-hash",
      async ({ services, call, body }) => reportTransactionHash(services, call, body),
      {
        open: true,
        idempotent: true,
        audit: "payment_intent.report_transaction",
        params: pathParams("intentId"),
        body: TransactionHashBody,
        response: answers(IntentEnvelope, [
          invalidRequest("This transaction does not fund this payment intent.", "transactionHash"),
          CHAIN_UNAVAILABLE,
          INTENT_MISSING,
        ]),
        detail: {
          operationId: "reportTransactionHash",
          tags: [tag],
          summary: "Report the hash of the payer's own transaction",
          description:
            "The transaction is verified on chain; reporting an unknown transaction has no effect.",
        },
      },
    );
