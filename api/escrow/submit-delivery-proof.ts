// Submit a delivery proof (spec, operation 7). With auto-release, the contract releases the funds in the same call.
import type { Static } from "@sinclair/typebox";
import { and, eq } from "drizzle-orm";
import {
  type Address,
  getAddress,
  type Hex,
  isAddressEqual,
  parseEventLogs,
  TransactionReceiptNotFoundError,
  zeroAddress,
  zeroHash,
} from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { askChain } from "#core/chain/client.ts";
import { hasIndependentOracle, ORDER_STATUSES } from "#core/chain/terms.ts";
import type { OrderRow } from "#core/db/chain.ts";
import type { Transaction } from "#core/db/client.ts";
import type { IntentView } from "#core/db/read-intent.ts";
import { deliveryProof } from "#core/db/schema/intents.ts";
import { internalError, invalidRequest, invalidStatus, signatureVerificationFailed } from "#core/errors.ts";
import { newId } from "#core/ids.ts";
import { escrowIdOf } from "#core/intent/show-escrow.ts";
import { operationRefused, revertNameOf } from "../contract-errors.ts";
import type { Call } from "../http/call.ts";
import { lockIntent, requireMovable } from "../payment-intents/find.ts";
import type { Services } from "../services.ts";
import { proveAsOracle } from "./act-as-oracle.ts";
import { relayOperation } from "./relay-operation.ts";
import { findOwnEscrow } from "./retrieve-escrow.ts";
import type { DeliveryProofBody, DeliveryProofEnvelope } from "./schemas.ts";
import { untilIndexed } from "./until-indexed.ts";

type Body = Static<typeof DeliveryProofBody>;
type Envelope = Static<typeof DeliveryProofEnvelope>;
type Proof = typeof deliveryProof.$inferSelect;

function requireFunded(view: IntentView): OrderRow {
  requireMovable(view);
  if (!view.order) throw invalidStatus("The escrow order is not funded yet: submit the proof when it is.");
  return view.order;
}

const statusRefused = (status: string | undefined) =>
  invalidStatus(`A delivery proof cannot be submitted for an order in status ${status}.`);

/** Created (spec, operation 7, rule 1), or Shipped. */
function requireProvable(view: IntentView): void {
  const status = ORDER_STATUSES[requireFunded(view).status];
  if (status !== "Created" && status !== "Shipped") throw statusRefused(status);
}

/** The proof itself has moved the order on; in a dispute none is taken, in whatever form. */
function requireUndisputed(view: IntentView): void {
  const status = ORDER_STATUSES[requireFunded(view).status];
  if (status === "Disputed") throw statusRefused(status);
}

/** Another hash would be recorded on chain as the order's delivery, and take the place of the expected one. */
function requireExpectedHash({ terms }: IntentView, { proofHash }: Body): void {
  const expected = terms.expectedDeliveryHash.toLowerCase();
  if (expected !== zeroHash && proofHash.toLowerCase() !== expected) {
    throw invalidRequest("Invalid proofHash: it is not the order's expectedDeliveryHash.", "proofHash");
  }
}

/** Who may speak is fixed in the order's terms. @returns the order's oracle, if it has one */
function requireProver({ terms }: IntentView, body: Body): Address | undefined {
  const { deliveryOracle } = terms;
  if (deliveryOracle === zeroAddress) {
    if (body.oracleSignature === undefined) return undefined;
    throw invalidRequest("This order has no deliveryOracle: leave oracleSignature out.", "oracleSignature");
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
    "The oracle itself must speak for this proof: send oracleSignature, its EIP-712 signature over DeliveryProof, " +
      "or submitTxHash, the hash of its own transaction.",
    "submittedBy",
  );

/** A proof that somebody brought to the chain already is checked there and not sent again. */
async function requireProofOnChain({ client, config }: Services, view: IntentView, body: Body, hash: Hex) {
  const refused = (message: string) => invalidRequest(message, "submitTxHash");
  try {
    const receipt = await askChain(() => client.getTransactionReceipt({ hash }));
    const logs = parseEventLogs({
      abi: deliveryVsPaymentAbi,
      eventName: "DeliveryProofSubmitted",
      logs: receipt.logs,
    });
    const { orderId } = view.intent;
    const proofHash = body.proofHash.toLowerCase();
    const found = logs.some(
      ({ address, args }) =>
        isAddressEqual(address, config.chain.contract) &&
        args.orderId === orderId &&
        args.proofHash === proofHash,
    );
    if (!found) throw refused("This transaction did not submit this proof for this order.");
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) {
      throw refused("The chain does not know this transaction yet: send its hash when it is mined.");
    }
    throw error;
  }
}

/** The contract has checked the signature, by the oracle's key or its ERC-1271 contract. */
const oracleRefused = (error: unknown) =>
  revertNameOf(error) === "SignatureNotValid"
    ? signatureVerificationFailed(
        "The oracleSignature is not the deliveryOracle's over this DeliveryProof (orderId, proofHash, proofURI).",
        "oracleSignature",
      )
    : undefined;

const rowOf = (view: IntentView, body: Body, submitTxHash: Hex) => ({
  id: newId("proof"),
  merchantId: view.intent.merchantId,
  intentId: view.intent.id,
  proofHash: body.proofHash,
  proofUri: body.proofURI ?? null,
  submittedBy: getAddress(body.submittedBy),
  submitTxHash,
});

async function record(tx: Transaction, view: IntentView, body: Body, hash: Hex): Promise<Proof> {
  const [row] = await tx
    .insert(deliveryProof)
    .values(rowOf(view, body, hash))
    .returning();
  if (!row) throw internalError(new Error("An insert returned no row."));
  return row;
}

function envelopeOf(view: IntentView, proof: Proof): Envelope {
  return {
    id: proof.id,
    object: "delivery_proof",
    data: {
      id: proof.id,
      conditionalPaymentId: escrowIdOf(view),
      paymentIntentId: view.intent.id,
      proofHash: proof.proofHash,
      proofURI: proof.proofUri,
      submittedBy: proof.submittedBy,
      submittedAt: String(Math.floor(proof.createdAt.getTime() / 1000)),
      submitTxHash: proof.submitTxHash,
      createdAt: proof.createdAt.toISOString(),
    },
  };
}

/** Writes down a proof that is on chain already; said again, it is the same proof. */
const recordProof = (
  services: Services,
  call: Call,
  view: IntentView,
  body: Body,
  hash: Hex,
): Promise<Envelope> =>
  services.database.transaction(async (tx) => {
    await lockIntent(services, tx, view);
    const [known] = await tx
      .select()
      .from(deliveryProof)
      .where(
        and(
          eq(deliveryProof.intentId, view.intent.id),
          eq(deliveryProof.submitTxHash, hash),
          eq(deliveryProof.proofHash, body.proofHash),
        ),
      );
    return call.answer(tx, envelopeOf(view, known ?? (await record(tx, view, body, hash))));
  });

/**
 * Whether the Hardhat node may speak in the oracle's place: for a third party that nobody plays locally, and for the merchant,
 * whose key has asked. Never for the payer, whose word is not the merchant's to give, nor for an account of the gateway.
 */
const mayBePlayed = ({ terms }: IntentView, { payer }: OrderRow, oracle: Address): boolean =>
  hasIndependentOracle(terms, payer) || isAddressEqual(oracle, terms.payee);

/** The oracle's own transaction, sent for it by the Hardhat node. */
async function proveForOracle(services: Services, call: Call, view: IntentView, body: Body, oracle: Address) {
  try {
    const hash = await askChain(() =>
      proveAsOracle(services, oracle, [view.terms, body.proofHash, body.proofURI ?? ""]),
    );
    const answer = await recordProof(services, call, view, body, hash);
    await untilIndexed(services, view, hash);
    return answer;
  } catch (error) {
    throw operationRefused(error) ?? error;
  }
}

/** What the operator sends for the merchant, as the oracle that the terms name, or for one that has signed. */
function callOf({ proofHash, proofURI = "", oracleSignature }: Body) {
  return oracleSignature === undefined
    ? { functionName: "submitDeliveryProof", args: [proofHash, proofURI] }
    : { functionName: "submitDeliveryProofFor", args: [proofHash, proofURI, oracleSignature] };
}

export async function submitDeliveryProof(services: Services, call: Call, body: Body): Promise<Envelope> {
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
    const played = services.config.chain.simulated && mayBePlayed(view, requireFunded(view), oracle);
    if (!played) throw oracleNeeded();
    return proveForOracle(services, call, view, body, oracle);
  }
  return relayOperation(services, call, view, {
    purpose: "submit_delivery_proof",
    ...callOf(body),
    require: requireProvable,
    refused: oracleRefused,
    answer: async (tx, { hash }) => envelopeOf(view, await record(tx, view, body, hash)),
  });
}
