// Submits a delivery proof (spec, operation 7): POST …/escrow/delivery-proof. With auto-release, the contract releases
// the funds in the same call.
import { type Address, getAddress, isAddressEqual, zeroAddress, zeroHash } from "viem";
import { ORDER_STATUSES } from "#core/chain/terms.ts";
import { invalidRequest, invalidStatus } from "#core/errors.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { signatureRefused } from "../contract-errors.ts";
import type { Call } from "../http/request-context.ts";
import { requireFunded } from "../payment-intents/require-status.ts";
import type { Services } from "../services.ts";
import { canProveFor, proveForOracle } from "./prove-for-oracle.ts";
import {
  buildProofEnvelope,
  insertProof,
  type ProofBody,
  type ProofEnvelope,
  recordProof,
  requireProofOnChain,
} from "./record-delivery-proof.ts";
import { relayOperation } from "./relay-operation.ts";
import { findOwnEscrow } from "./retrieve-escrow.ts";

const requireOrder = (view: IntentView) => requireFunded(view, "Submit the proof once it is funded.");

const statusRefused = (status: string | undefined) =>
  invalidStatus(`A delivery proof cannot be submitted for an order in status ${status}.`);

/** Requires the status Created (spec, operation 7, rule 1) or Shipped. */
function requireProvable(view: IntentView): void {
  const status = ORDER_STATUSES[requireOrder(view).status];
  if (status !== "Created" && status !== "Shipped") throw statusRefused(status);
}

/** Rejects only disputed orders, because a proof that is already on chain may have changed the order's status. */
function requireUndisputed(view: IntentView): void {
  const status = ORDER_STATUSES[requireOrder(view).status];
  if (status === "Disputed") throw statusRefused(status);
}

/** A different hash would be recorded on chain as the order's delivery hash instead of the expected one. */
function requireExpectedHash({ terms }: IntentView, { proofHash }: ProofBody): void {
  const expected = terms.expectedDeliveryHash.toLowerCase();
  if (expected !== zeroHash && proofHash.toLowerCase() !== expected) {
    throw invalidRequest("Invalid proofHash: it differs from the order's expectedDeliveryHash.", "proofHash");
  }
}

/** Checks that the order's terms allow this submitter. @returns the order's oracle, if it has one */
function requireProver({ terms }: IntentView, body: ProofBody): Address | undefined {
  const { deliveryOracle } = terms;
  if (deliveryOracle === zeroAddress) {
    if (body.oracleSignature === undefined) return undefined;
    throw invalidRequest("This order has no deliveryOracle. Omit oracleSignature.", "oracleSignature");
  }
  if (!isAddressEqual(deliveryOracle, body.submittedBy)) {
    throw invalidRequest(
      "Only this order's deliveryOracle can submit its proof: submittedBy must be its address.",
      "submittedBy",
    );
  }
  return getAddress(deliveryOracle);
}

const oracleNeeded = () =>
  invalidRequest(
    "This order's deliveryOracle must sign the proof. Send oracleSignature, the oracle's EIP-712 signature over DeliveryProof, " +
      "or submitTxHash, the hash of the oracle's own transaction.",
    "oracleSignature",
  );

/** The contract verifies the signature with the oracle's address or, for a smart account, with ERC-1271. */
const oracleRefused = signatureRefused(
  "The oracleSignature is not the deliveryOracle's signature over this order's DeliveryProof with this proofHash and proofURI.",
  "oracleSignature",
);

/** Builds the operator's call: on behalf of the merchant, as the oracle itself, or for an oracle that has signed. */
function buildCall({ proofHash, proofURI = "", oracleSignature }: ProofBody) {
  return oracleSignature === undefined
    ? { functionName: "submitDeliveryProof", args: [proofHash, proofURI] }
    : { functionName: "submitDeliveryProofFor", args: [proofHash, proofURI, oracleSignature] };
}

export async function submitDeliveryProof(
  services: Services,
  call: Call,
  body: ProofBody,
): Promise<ProofEnvelope> {
  const view = await findOwnEscrow(services, call);
  const oracle = requireProver(view, body);
  const { submitTxHash, oracleSignature } = body;
  if (submitTxHash !== undefined) {
    if (oracleSignature !== undefined) {
      throw invalidRequest("Send either submitTxHash or oracleSignature, not both.", "oracleSignature");
    }
    requireUndisputed(view);
    await requireProofOnChain(services, view, body, submitTxHash);
    return recordProof(services, call, view, body, submitTxHash);
  }
  requireExpectedHash(view, body);
  requireProvable(view);
  const operator = oracle && isAddressEqual(oracle, view.terms.operator);
  if (oracle && oracleSignature === undefined && !operator) {
    const canProve = services.config.chain.simulated && canProveFor(view, requireOrder(view), oracle);
    if (!canProve) throw oracleNeeded();
    return proveForOracle(services, call, view, body, oracle);
  }
  return relayOperation(services, call, view, {
    purpose: "submit_delivery_proof",
    ...buildCall(body),
    require: requireProvable,
    refused: oracleRefused,
    answer: async (tx, { hash }) => buildProofEnvelope(view, await insertProof(tx, view, body, hash)),
  });
}
