// The escrow's operations (spec, operations 6 to 8; design, section 4).
import {
  invalidRequest,
  invalidRequestError,
  invalidStatus,
  signatureVerificationFailed,
} from "#core/errors.ts";
import { get, type Operation, post } from "../http/operation.ts";
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
/** These let funds leave the escrow, or fulfil a condition for that. */
const needs = "release" as const;
const tag = "Escrow";
const read = { tag, refusals: [NO_ESCROW, INTENT_MISSING] };
const move = {
  tag,
  refusals: [NO_ESCROW, invalidStatus("The escrow order is not funded yet."), CHAIN_GONE, INTENT_MISSING],
};
const account = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

export const escrowOperations: Operation[] = [
  get(PATH, retrieveEscrow, {
    ...read,
    id: "retrieveEscrow",
    summary: "Retrieve the conditional payment",
    answer: ConditionalPaymentEnvelope,
  }),
  post(`${PATH}/delivery-proof`, submitDeliveryProof, {
    ...move,
    id: "submitDeliveryProof",
    summary: "Submit a delivery proof",
    description:
      "While the order is PENDING or SHIPPED; the proofHash is the order's expectedDeliveryHash, where it has one. " +
      "With autoReleaseOnProof a valid proof releases the funds. Where the order has a deliveryOracle, send its " +
      `oracleSignature (EIP-712, ${DELIVERY_PROOF}), or the submitTxHash ` +
      "of its own transaction; in test mode its address as submittedBy is enough. What a submitTxHash reports is on chain " +
      "already, so that it is taken in every state but DISPUTED.",
    needs,
    refusals: [
      ...move.refusals,
      invalidRequest("Invalid proofHash: it is not the order's expectedDeliveryHash.", "proofHash"),
      signatureVerificationFailed("The oracleSignature is not the deliveryOracle's.", "oracleSignature"),
    ],
    body: DeliveryProofBody,
    example: {
      proofHash: "0x9c22ff5f21f0b81b113e63f7db6da94fedef11b2119b4088b89664fb9a3cb658",
      proofURI: "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
      submittedBy: account,
    },
    answer: DeliveryProofEnvelope,
  }),
  get(`${PATH}/delivery-proofs`, listDeliveryProofs, {
    ...read,
    id: "listDeliveryProofs",
    summary: "List delivery proofs",
    answer: DeliveryProofList,
  }),
  post(`${PATH}/ship`, markShipped, {
    ...move,
    id: "markShipped",
    summary: "Mark shipped",
    description:
      "Where the order has a deliveryOracle that is none of its parties, with its oracleSignature.",
    needs,
    body: ShipBody,
    bodyOptional: true,
    example: {},
    refusals: [
      ...move.refusals,
      invalidRequest("This order's deliveryOracle must attest the shipment.", "oracleSignature"),
      signatureVerificationFailed("The oracleSignature is not the deliveryOracle's.", "oracleSignature"),
    ],
    answer: EscrowMoved,
  }),
  post(`${PATH}/release`, releaseEscrow, {
    ...move,
    id: "releaseEscrow",
    summary: "Release after a valid proof",
    needs,
    answer: EscrowMoved,
  }),
  post(`${PATH}/refund`, refundEscrow, {
    ...move,
    id: "refundEscrow",
    summary: "Refund the payer, in full or in part",
    needs,
    body: RefundBody,
    bodyOptional: true,
    example: { amount: "40.00" },
    refusals: [
      ...move.refusals,
      invalidRequest("Invalid amount: at most 60.00 USDC can be refunded.", "amount"),
      invalidRequestError("Invalid amount: it must be greater than zero.", "amount"),
    ],
    answer: EscrowMoved,
  }),
  post(`${PATH}/dispute`, raiseDispute, {
    ...move,
    id: "raiseDispute",
    summary: "Raise a dispute",
    description:
      "Counts as the merchant's dispute on chain, unless the payer's signature comes with it. Each side raises one. A dispute " +
      "that nobody decides in its window lets the order go on, or returns or releases it, by release type and side.",
    needs,
    body: DisputeBody,
    example: { reason: "The parcel did not arrive.", raisedBy: account, disputeWindow: "604800" },
    answer: DisputeEnvelope,
    refusals: [
      ...move.refusals,
      invalidRequest("A dispute is raised by the payer or by the merchant's account.", "raisedBy"),
      invalidRequest("Invalid disputeWindow: this payment allows 60 to 2592000 seconds.", "disputeWindow"),
      signatureVerificationFailed("The payerSignature is not the payer's.", "payerSignature"),
    ],
  }),
  post(`${PATH}/dispute/resolve`, resolveDispute, {
    ...move,
    id: "resolveDispute",
    summary: "Resolve a dispute",
    description:
      "By the arbiter, where this gateway is it; else with the EIP-712 signatures of payer and merchant over " +
      `${DISPUTE_AGREEMENT}: raisedBy is "payer" or "merchant", whose side raised the dispute.`,
    needs,
    body: ResolveDisputeBody,
    example: { outcome: "PARTIAL_REFUND", merchantAmount: "40.00" },
    answer: DisputeEnvelope,
    refusals: [
      ...move.refusals,
      invalidRequest("merchantAmount is for the outcome PARTIAL_REFUND.", "merchantAmount"),
      signatureVerificationFailed(
        "The signatures are not both parties' over this order's DisputeAgreement.",
        "payerSignature",
      ),
    ],
  }),
];
