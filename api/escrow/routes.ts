// The escrow's routes (spec, operations 6 to 8; design, section 4).
import { Elysia } from "elysia";
import { type ErrorStatus, operationsOf } from "../http/operation.ts";
import type { Services } from "../services.ts";
import { DeliveryProofList, listDeliveryProofs } from "./list-delivery-proofs.ts";
import { markShipped } from "./mark-shipped.ts";
import { raiseDispute } from "./raise-dispute.ts";
import { refundEscrow } from "./refund.ts";
import { releaseEscrow } from "./release.ts";
import { resolveDispute } from "./resolve-dispute.ts";
import { retrieveEscrow } from "./retrieve-escrow.ts";
import {
  ConditionalPaymentEnvelope,
  DeliveryProofBody,
  DeliveryProofEnvelope,
  DisputeBody,
  DisputeEnvelope,
  EscrowMoved,
  ResolveDisputeBody,
} from "./schemas.ts";
import { submitDeliveryProof } from "./submit-delivery-proof.ts";

/** These let money leave the escrow, or fulfil a condition for that. */
const needs = "release" as const;
const of = { tag: "Escrow", errors: [400, 401, 403, 404] as ErrorStatus[] };

export function escrowRoutes(services: Services, documented: boolean) {
  const { get, post } = operationsOf(services, documented);
  const retrieve = { ...of, summary: "Retrieve the conditional payment", answer: ConditionalPaymentEnvelope };
  const prove = {
    ...of,
    needs,
    summary: "Submit a delivery proof",
    body: DeliveryProofBody,
    answer: DeliveryProofEnvelope,
  };
  const proofs = { ...of, summary: "List delivery proofs", answer: DeliveryProofList };
  const ship = { ...of, needs, summary: "Mark shipped", answer: EscrowMoved };
  const release = { ...of, needs, summary: "Release after a valid proof", answer: EscrowMoved };
  const refund = { ...of, needs, summary: "Refund the payer", answer: EscrowMoved };
  const dispute = { ...of, summary: "Raise a dispute", body: DisputeBody, answer: DisputeEnvelope };
  const resolve = {
    ...of,
    needs,
    summary: "Resolve a dispute",
    body: ResolveDisputeBody,
    answer: DisputeEnvelope,
  };
  return new Elysia({ prefix: "/payment-intents/:intentId/escrow" })
    .get("", ...get(retrieveEscrow, retrieve))
    .post("/delivery-proof", ...post(submitDeliveryProof, prove))
    .get("/delivery-proofs", ...get(listDeliveryProofs, proofs))
    .post("/ship", ...post(markShipped, ship))
    .post("/release", ...post(releaseEscrow, release))
    .post("/refund", ...post(refundEscrow, refund))
    .post("/dispute", ...post(raiseDispute, dispute))
    .post("/dispute/resolve", ...post(resolveDispute, resolve));
}
