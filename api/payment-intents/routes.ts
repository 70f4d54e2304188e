// The payment intents' routes (spec, operations 1 to 5 and 11; design, section 4).
import { Elysia } from "elysia";
import { operation } from "../http/operation.ts";
import type { Services } from "../services.ts";
import { attachPayer } from "./attach-payer.ts";
import { cancelIntent } from "./cancel.ts";
import { confirmIntent } from "./confirm.ts";
import { createIntent } from "./create.ts";
import { IntentList, listIntents } from "./list.ts";
import { retrieveIntent, retrievePublicIntent } from "./retrieve.ts";
import {
  AttachPayerBody,
  ConfirmBody,
  CreateIntentBody,
  IntentEnvelope,
  TransactionHashBody,
} from "./schemas.ts";
import { updateTransactionHash } from "./transaction-hash.ts";

const tag = "Payment intents";
const answer = IntentEnvelope;

export const paymentIntentRoutes = (services: Services, documented: boolean) =>
  new Elysia({ prefix: "/payment-intents" })
    .post(
      "/",
      ({ request }) => createIntent(services, request),
      operation(
        { summary: "Create a payment intent", tag, body: CreateIntentBody, answer, errors: [400, 401, 403] },
        documented,
      ),
    )
    .get(
      "/",
      ({ request }) => listIntents(services, request),
      operation(
        { summary: "List payment intents", tag, answer: IntentList, errors: [400, 401, 403, 404] },
        documented,
      ),
    )
    .get(
      "/:intentId",
      ({ request, params }) => retrieveIntent(services, request, params.intentId),
      operation({ summary: "Retrieve a payment intent", tag, answer, errors: [401, 403, 404] }, documented),
    )
    .get(
      "/public/:intentId",
      ({ request, params }) => retrievePublicIntent(services, request, params.intentId),
      operation(
        { summary: "Retrieve a payment intent without a key", tag, answer, errors: [400, 404], public: true },
        documented,
      ),
    )
    .post(
      "/:intentId/confirm",
      ({ request, params }) => confirmIntent(services, request, params.intentId),
      operation(
        {
          summary: "Confirm with the payer's signature",
          tag,
          body: ConfirmBody,
          answer,
          errors: [400, 401, 403, 404],
        },
        documented,
      ),
    )
    .post(
      "/:intentId/cancel",
      ({ request, params }) => cancelIntent(services, request, params.intentId),
      operation({ summary: "Cancel before funding", tag, answer, errors: [400, 401, 403, 404] }, documented),
    )
    .post(
      "/public/:intentId/payer",
      ({ request, params }) => attachPayer(services, request, params.intentId),
      operation(
        {
          summary: "Say who will pay",
          tag,
          body: AttachPayerBody,
          answer,
          errors: [400, 404],
          public: true,
        },
        documented,
      ),
    )
    .post(
      "/public/:intentId/transaction-hash",
      ({ request, params }) => updateTransactionHash(services, request, params.intentId),
      operation(
        {
          summary: "Tell the payer's own transaction",
          tag,
          body: TransactionHashBody,
          answer,
          errors: [400, 404],
          public: true,
        },
        documented,
      ),
    );
