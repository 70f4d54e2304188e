// The escrow's operations (spec, operations 6 to 8; design, section 4).
import { Elysia } from "elysia";
import {
  invalidRequest,
  invalidRequestError,
  invalidStatus,
  signatureVerificationFailed,
} from "#core/errors.ts";
import { NoBody } from "../http/body.ts";
import { answer, describe } from "../http/describe.ts";
import type { Gateway } from "../http/gateway.ts";
import { CHAIN_GONE, INTENT_MISSING, NO_ESCROW } from "../http/refusals.ts";
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
  EscrowMoved,
  RefundBody,
  ResolveDisputeBody,
  ShipBody,
} from "./schemas.ts";
import { DELIVERY_PROOF, DISPUTE_AGREEMENT } from "./signed-messages.ts";
import { submitDeliveryProof } from "./submit-delivery-proof.ts";

const PATH = "/payment-intents/:intentId/escrow";
const tag = "Escrow";
const read = [NO_ESCROW, INTENT_MISSING];
const moved = [NO_ESCROW, invalidStatus("The escrow order is not funded yet."), CHAIN_GONE, INTENT_MISSING];
const account = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

export const escrowRoutes = (shared: Gateway) =>
  new Elysia({ normalize: false })
    .use(shared)
    .get(PATH, async ({ network, call }) => retrieveEscrow(network, call), {
      access: { permission: "read" },
      response: answer(ConditionalPaymentEnvelope),
      detail: describe({
        id: "retrieveEscrow",
        tag: tag,
        summary: "Retrieve the conditional payment",
        description: "The order on chain as it is now; before it is funded, its terms, with `funded: false`.",
        refusals: read,
      }),
    })
    .post(
      `${PATH}/delivery-proof`,
      async ({ network, call, body }) => submitDeliveryProof(network, call, body),
      {
        access: { permission: "release" },
        idempotent: true,
        audit: "delivery_proof.submit",
        body: DeliveryProofBody,
        response: answer(DeliveryProofEnvelope),
        detail: describe({
          id: "submitDeliveryProof",
          tag: tag,
          summary: "Submit a delivery proof",
          description:
            "While the order is PENDING or SHIPPED; the proofHash is the order's expectedDeliveryHash, where it has one. " +
            "With autoReleaseOnProof a valid proof releases the funds. Where the order has a deliveryOracle, send its " +
            `oracleSignature (EIP-712, ${DELIVERY_PROOF}), or the submitTxHash ` +
            "of its own transaction; in test mode its address as submittedBy is enough. What a submitTxHash reports is on chain " +
            "already, so that it is taken in every state but DISPUTED.",
          example: {
            proofHash: "0x9c22ff5f21f0b81b113e63f7db6da94fedef11b2119b4088b89664fb9a3cb658",
            proofURI: "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
            submittedBy: account,
          },
          refusals: [
            ...moved,
            invalidRequest("Invalid proofHash: it is not the order's expectedDeliveryHash.", "proofHash"),
            signatureVerificationFailed(
              "The oracleSignature is not the deliveryOracle's.",
              "oracleSignature",
            ),
          ],
        }),
      },
    )
    .get(`${PATH}/delivery-proofs`, async ({ network, call }) => listDeliveryProofs(network, call), {
      access: { permission: "read" },
      response: answer(DeliveryProofList),
      detail: describe({
        id: "listDeliveryProofs",
        tag: tag,
        summary: "List delivery proofs",
        description: "Every proof that the chain has recorded, newest first.",
        refusals: read,
      }),
    })
    .post(`${PATH}/ship`, async ({ network, call, body }) => markShipped(network, call, body), {
      access: { permission: "release" },
      idempotent: true,
      audit: "conditional_payment.ship",
      body: ShipBody,
      response: answer(EscrowMoved),
      detail: describe({
        id: "markShipped",
        tag: tag,
        summary: "Mark shipped",
        description:
          "Where the order has a deliveryOracle that is none of its parties, with its oracleSignature.",
        bodyOptional: true,
        example: {},
        refusals: [
          ...moved,
          invalidRequest("This order's deliveryOracle must attest the shipment.", "oracleSignature"),
          signatureVerificationFailed("The oracleSignature is not the deliveryOracle's.", "oracleSignature"),
        ],
      }),
    })
    .post(`${PATH}/release`, async ({ network, call }) => releaseEscrow(network, call), {
      access: { permission: "release" },
      idempotent: true,
      audit: "conditional_payment.release",
      body: NoBody,
      response: answer(EscrowMoved),
      detail: describe({
        id: "releaseEscrow",
        tag: tag,
        summary: "Release after a valid proof",
        description: "The funds become the merchant's, and are settled and paid out.",
        refusals: moved,
      }),
    })
    .post(`${PATH}/refund`, async ({ network, call, body }) => refundEscrow(network, call, body), {
      access: { permission: "release" },
      idempotent: true,
      audit: "conditional_payment.refund",
      body: RefundBody,
      response: answer(EscrowMoved),
      detail: describe({
        id: "refundEscrow",
        tag: tag,
        summary: "Refund the payer, in full or in part",
        description: "Only what is neither released nor refunded can be returned.",
        bodyOptional: true,
        example: { amount: "40.00" },
        refusals: [
          ...moved,
          invalidRequest("Invalid amount: at most 60.00 USDC can be refunded.", "amount"),
          invalidRequestError("Invalid amount: it must be greater than zero.", "amount"),
        ],
      }),
    })
    .post(`${PATH}/dispute`, async ({ network, call, body }) => raiseDispute(network, call, body), {
      access: { permission: "release" },
      idempotent: true,
      audit: "dispute.raise",
      body: DisputeBody,
      response: answer(DisputeEnvelope),
      detail: describe({
        id: "raiseDispute",
        tag: tag,
        summary: "Raise a dispute",
        description:
          "Counts as the merchant's dispute on chain, unless the payer's signature comes with it. Each side raises one. A dispute " +
          "that nobody decides in its window lets the order go on, or returns or releases it, by release type and side.",
        example: { reason: "The parcel did not arrive.", raisedBy: account, disputeWindow: "604800" },
        refusals: [
          ...moved,
          invalidRequest("A dispute is raised by the payer or by the merchant's account.", "raisedBy"),
          invalidRequest(
            "Invalid disputeWindow: this payment allows 60 to 2592000 seconds.",
            "disputeWindow",
          ),
          signatureVerificationFailed("The payerSignature is not the payer's.", "payerSignature"),
        ],
      }),
    })
    .post(`${PATH}/dispute/resolve`, async ({ network, call, body }) => resolveDispute(network, call, body), {
      access: { permission: "release" },
      idempotent: true,
      audit: "dispute.resolve",
      body: ResolveDisputeBody,
      response: answer(DisputeEnvelope),
      detail: describe({
        id: "resolveDispute",
        tag: tag,
        summary: "Resolve a dispute",
        description:
          "By the arbiter, where this gateway is it; else with the EIP-712 signatures of payer and merchant over " +
          `${DISPUTE_AGREEMENT}: raisedBy is "payer" or "merchant", whose side raised the dispute.`,
        example: { outcome: "PARTIAL_REFUND", merchantAmount: "40.00" },
        refusals: [
          ...moved,
          invalidRequest("merchantAmount is for the outcome PARTIAL_REFUND.", "merchantAmount"),
          signatureVerificationFailed(
            "The signatures are not both parties' over this order's DisputeAgreement.",
            "payerSignature",
          ),
        ],
      }),
    });
