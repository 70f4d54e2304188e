// The escrow's routes (spec, operations 6 and 7).
import { Elysia } from "elysia";
import { operation } from "../http/operation.ts";
import type { Services } from "../services.ts";
import { retrieveEscrow } from "./retrieve-escrow.ts";
import { ConditionalPaymentEnvelope, DeliveryProofBody, DeliveryProofEnvelope } from "./schemas.ts";
import { submitDeliveryProof } from "./submit-delivery-proof.ts";

const tag = "Escrow";

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
          errors: [400, 401, 403, 404],
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
          errors: [400, 401, 403, 404],
        },
        documented,
      ),
    );
