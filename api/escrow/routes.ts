// Routes of the escrow operations.
import { Elysia } from "elysia";
import {
  invalidRequest,
  invalidRequestError,
  invalidStatus,
  signatureVerificationFailed,
} from "#core/errors.ts";
import { NoBody } from "../http/body.ts";
import { answers, pathParams } from "../http/declare.ts";
import type { RouteMacros } from "../http/route-macros.ts";
import { CHAIN_UNAVAILABLE, INTENT_MISSING, NO_ESCROW } from "../payment-intents/documented-errors.ts";
import { listDeliveryProofs } from "./list-delivery-proofs.ts";
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
  DeliveryProofList,
  DisputeBody,
  DisputeEnvelope,
  EscrowUpdate,
  RefundBody,
  ResolveDisputeBody,
  ShipBody,
} from "./schemas.ts";
import { DELIVERY_PROOF, DISPUTE_AGREEMENT } from "./signed-messages.ts";
import { submitDeliveryProof } from "./submit-delivery-proof.ts";

const PATH = "/payment-intents/:intentId/escrow";
const tag = "Escrow";
const read = [NO_ESCROW, INTENT_MISSING];
const writeErrors = [
  NO_ESCROW,
  invalidStatus("The escrow order is not funded yet."),
  CHAIN_UNAVAILABLE,
  INTENT_MISSING,
];

export const escrowRoutes = (shared: RouteMacros) =>
  new Elysia({ normalize: false })
    .use(shared)
    .get(PATH, async ({ services, call }) => retrieveEscrow(services, call), {
      access: { permission: "read" },
      params: pathParams("intentId"),
      response: answers(ConditionalPaymentEnvelope, read),
      detail: {
        operationId: "retrieveEscrow",
        tags: [tag],
        summary: "Retrieve the conditional payment",
        description:
          "Returns the current state of the on-chain order. Before funding, returns the order's terms, with `funded: false`.",
      },
    })
    .post(
      `${PATH}/delivery-proof`,
      async ({ services, call, body }) => submitDeliveryProof(services, call, body),
      {
        access: { permission: "release" },
        idempotent: true,
        audit: "delivery_proof.submit",
        params: pathParams("intentId"),
        body: DeliveryProofBody,
        response: answers(DeliveryProofEnvelope, [
          ...writeErrors,
          invalidRequest("Invalid proofHash: it differs from the order's expectedDeliveryHash.", "proofHash"),
          signatureVerificationFailed(
            "oracleSignature is not a valid signature of the deliveryOracle.",
            "oracleSignature",
          ),
        ]),
        detail: {
          operationId: "submitDeliveryProof",
          tags: [tag],
          summary: "Submit a delivery proof",
          description:
            "Allowed while the order is PENDING or SHIPPED. A proof that is already on chain (submitTxHash) is accepted in every other state except DISPUTED. If the order has an expectedDeliveryHash, proofHash must equal it. " +
            `With autoReleaseOnProof, a valid proof releases the funds. If the order has a deliveryOracle, send its oracleSignature (EIP-712, ${DELIVERY_PROOF}), or the hash of the oracle's own transaction as submitTxHash; in test mode, its address as submittedBy is sufficient.`,
        },
      },
    )
    .get(`${PATH}/delivery-proofs`, async ({ services, call }) => listDeliveryProofs(services, call), {
      access: { permission: "read" },
      params: pathParams("intentId"),
      response: answers(DeliveryProofList, read),
      detail: {
        operationId: "listDeliveryProofs",
        tags: [tag],
        summary: "List delivery proofs",
        description: "Returns every proof recorded on chain, newest first.",
      },
    })
    .post(`${PATH}/ship`, async ({ services, call, body }) => markShipped(services, call, body), {
      access: { permission: "release" },
      idempotent: true,
      audit: "conditional_payment.ship",
      params: pathParams("intentId"),
      body: ShipBody,
      response: answers(EscrowUpdate, [
        ...writeErrors,
        invalidRequest("This order's deliveryOracle must sign the shipment.", "oracleSignature"),
        signatureVerificationFailed(
          "oracleSignature is not a valid signature of the deliveryOracle.",
          "oracleSignature",
        ),
      ]),
      detail: {
        operationId: "markShipped",
        tags: [tag],
        summary: "Mark an order as shipped",
        description: "Requires oracleSignature if the deliveryOracle is independent of the order's parties.",
      },
    })
    .post(`${PATH}/release`, async ({ services, call }) => releaseEscrow(services, call), {
      access: { permission: "release" },
      idempotent: true,
      audit: "conditional_payment.release",
      params: pathParams("intentId"),
      body: NoBody,
      response: answers(EscrowUpdate, writeErrors),
      detail: {
        operationId: "releaseEscrow",
        tags: [tag],
        summary: "Release the funds",
        description: "Requires a valid proof. Released funds are settled on chain, then paid out.",
      },
    })
    .post(`${PATH}/refund`, async ({ services, call, body }) => refundEscrow(services, call, body), {
      access: { permission: "release" },
      idempotent: true,
      audit: "conditional_payment.refund",
      params: pathParams("intentId"),
      body: RefundBody,
      response: answers(EscrowUpdate, [
        ...writeErrors,
        invalidRequest("Invalid amount: at most 60.00 USDC can be refunded.", "amount"),
        invalidRequestError("Invalid amount: it must be greater than zero.", "amount"),
      ]),
      detail: {
        operationId: "refundEscrow",
        tags: [tag],
        summary: "Refund the payer, in full or in part",
        description: "Only funds that are neither released nor refunded can be refunded.",
      },
    })
    .post(`${PATH}/dispute`, async ({ services, call, body }) => raiseDispute(services, call, body), {
      access: { permission: "release" },
      idempotent: true,
      audit: "dispute.raise",
      params: pathParams("intentId"),
      body: DisputeBody,
      response: answers(DisputeEnvelope, [
        ...writeErrors,
        invalidRequest("Invalid raisedBy: expected the payer or the merchant's account.", "raisedBy"),
        invalidRequest("Invalid disputeWindow: this payment allows 60 to 2592000 seconds.", "disputeWindow"),
        signatureVerificationFailed(
          "payerSignature is not a valid signature of the payer.",
          "payerSignature",
        ),
      ]),
      detail: {
        operationId: "raiseDispute",
        tags: [tag],
        summary: "Raise a dispute",
        description:
          "Raises the merchant's dispute, or the payer's dispute if the request contains payerSignature. Each side can " +
          "raise one dispute. If nobody resolves a dispute within its window, the order resumes, is refunded or is " +
          "released, depending on the release type and the side that raised the dispute.",
      },
    })
    .post(
      `${PATH}/dispute/resolve`,
      async ({ services, call, body }) => resolveDispute(services, call, body),
      {
        access: { permission: "release" },
        idempotent: true,
        audit: "dispute.resolve",
        params: pathParams("intentId"),
        body: ResolveDisputeBody,
        response: answers(DisputeEnvelope, [
          ...writeErrors,
          invalidRequest("merchantAmount requires the outcome PARTIAL_REFUND.", "merchantAmount"),
          signatureVerificationFailed(
            "The signatures are not valid signatures of payer and merchant over this order's DisputeAgreement.",
            "payerSignature",
          ),
        ]),
        detail: {
          operationId: "resolveDispute",
          tags: [tag],
          summary: "Resolve a dispute",
          description:
            "If this gateway is the arbiter, it decides the dispute. Otherwise, the request must contain the EIP-712 " +
            `signatures of payer and merchant over ${DISPUTE_AGREEMENT}; \`raisedBy\` is the side that raised the dispute.`,
        },
      },
    );
