// The payment intents' routes (spec, operations 1 to 5 and 11; design, section 4).
import { Elysia } from "elysia";
import { type ErrorStatus, operationsOf } from "../http/operation.ts";
import type { Services } from "../services.ts";
import { attachPayer } from "./attach-payer.ts";
import { cancelIntent } from "./cancel.ts";
import { confirmIntent, confirmPublicIntent } from "./confirm.ts";
import { createIntent } from "./create.ts";
import { IntentList, listIntents } from "./list.ts";
import { retrieveIntent, retrievePublicIntent } from "./retrieve.ts";
import { retrySettlement } from "./retry-settlement.ts";
import {
  AttachPayerBody,
  ConfirmBody,
  CreateIntentBody,
  IntentEnvelope,
  TransactionHashBody,
} from "./schemas.ts";
import { updateTransactionHash } from "./transaction-hash.ts";

const of = { tag: "Payment intents", answer: IntentEnvelope };
const errors: ErrorStatus[] = [400, 401, 403, 404];

export function paymentIntentRoutes(services: Services, documented: boolean) {
  const { get, post, publicGet, publicPost } = operationsOf(services, documented);
  const create = {
    ...of,
    summary: "Create a payment intent",
    body: CreateIntentBody,
    errors,
    limit: "create" as const,
  };
  const list = { ...of, summary: "List payment intents", answer: IntentList, errors };
  const retrieve = { ...of, summary: "Retrieve a payment intent", errors, limit: "retrieve" as const };
  const show = {
    ...of,
    summary: "Retrieve a payment intent without a key",
    errors: [400, 404] as ErrorStatus[],
  };
  const confirm = {
    ...of,
    summary: "Confirm with the payer's signature",
    body: ConfirmBody,
    errors,
    limit: "confirm" as const,
  };
  const cancel = { ...of, summary: "Cancel before funding", errors };
  const retry = { ...of, summary: "Retry a failed settlement", errors, needs: "release" as const };
  const attach = {
    ...of,
    summary: "Say who will pay",
    body: AttachPayerBody,
    errors: [400, 404] as ErrorStatus[],
  };
  const confirmOpenly = {
    ...of,
    summary: "Hand in the payer's signature without a key",
    body: ConfirmBody,
    errors: [400, 404] as ErrorStatus[],
  };
  const hint = {
    ...of,
    summary: "Tell the hash of the payer's own transaction",
    body: TransactionHashBody,
    errors: [400, 404] as ErrorStatus[],
  };
  return new Elysia({ prefix: "/payment-intents" })
    .post("", ...post(createIntent, create))
    .get("", ...get(listIntents, list))
    .get("/:intentId", ...get(retrieveIntent, retrieve))
    .get("/public/:intentId", ...publicGet(retrievePublicIntent, show))
    .post("/:intentId/confirm", ...post(confirmIntent, confirm))
    .post("/:intentId/cancel", ...post(cancelIntent, cancel))
    .post("/:intentId/settlement/retry", ...post(retrySettlement, retry))
    .post("/public/:intentId/payer", ...publicPost(attachPayer, attach))
    .post("/public/:intentId/confirm", ...publicPost(confirmPublicIntent, confirmOpenly))
    .post("/public/:intentId/transaction-hash", ...publicPost(updateTransactionHash, hint));
}
