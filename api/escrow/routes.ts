// The escrow's routes (spec, operations 6 to 8; design, section 4).
import { Elysia } from "elysia";
import { operation } from "../http/operation.ts";
import type { Services } from "../services.ts";
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
  ResolveDisputeBody,
} from "./schemas.ts";
import { submitDeliveryProof } from "./submit-delivery-proof.ts";

const tag = "Escrow";
const errors: (400 | 401 | 403 | 404)[] = [400, 401, 403, 404];

export const escrowRoutes = (services: Services, documented: boolean) =>
  new Elysia({ prefix: "/payment-intents/:intentId/escrow" })
    .get(
      "/",
      ({ request, params }) => retrieveEscrow(services, request, params.intentId),
      operation(
        {
          summary: "Retrieve the conditional payment",
          tag,
          answer: ConditionalPaymentEnvelope,
          errors,
        },
        documented,
      ),
    )
    .post(
      "/delivery-proof",
      ({ request, params }) => submitDeliveryProof(services, request, params.intentId),
      operation(
        {
          summary: "Submit a delivery proof",
          tag,
          body: DeliveryProofBody,
          answer: DeliveryProofEnvelope,
          errors,
        },
        documented,
      ),
    )
    .post(
      "/ship",
      ({ request, params }) => markShipped(services, request, params.intentId),
      operation({ summary: "Mark shipped", tag, answer: ConditionalPaymentEnvelope, errors }, documented),
    )
    .post(
      "/release",
      ({ request, params }) => releaseEscrow(services, request, params.intentId),
      operation(
        { summary: "Release after a valid proof", tag, answer: ConditionalPaymentEnvelope, errors },
        documented,
      ),
    )
    .post(
      "/refund",
      ({ request, params }) => refundEscrow(services, request, params.intentId),
      operation({ summary: "Refund the payer", tag, answer: ConditionalPaymentEnvelope, errors }, documented),
    )
    .post(
      "/dispute",
      ({ request, params }) => raiseDispute(services, request, params.intentId),
      operation(
        { summary: "Raise a dispute", tag, body: DisputeBody, answer: DisputeEnvelope, errors },
        documented,
      ),
    )
    .post(
      "/dispute/resolve",
      ({ request, params }) => resolveDispute(services, request, params.intentId),
      operation(
        { summary: "Resolve a dispute", tag, body: ResolveDisputeBody, answer: DisputeEnvelope, errors },
        documented,
      ),
    );
