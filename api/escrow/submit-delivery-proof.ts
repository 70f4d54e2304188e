// Submit a delivery proof (spec, operation 7). With auto-release, the contract releases the funds in the same call.
import type { Static } from "@sinclair/typebox";
import {
  type Address,
  getAddress,
  type Hex,
  isAddressEqual,
  parseEventLogs,
  TransactionReceiptNotFoundError,
  zeroAddress,
} from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { askChain } from "#core/chain/client.ts";
import { ORDER_STATUSES } from "#core/chain/terms.ts";
import type { Database, Transaction } from "#core/db/client.ts";
import type { IntentView } from "#core/db/read-intent.ts";
import { deliveryProof } from "#core/db/schema.ts";
import { internalError, invalidRequest, invalidStatus } from "#core/errors.ts";
import { newId } from "#core/ids.ts";
import { operationRefused } from "../contract-errors.ts";
import { bodyOf } from "../http/body.ts";
import { requireMovable } from "../payment-intents/find.ts";
import type { Services } from "../services.ts";
import { proveAsOracle } from "./act-as-oracle.ts";
import { relayOperation } from "./relay-operation.ts";
import { escrowIdOf, findOwnEscrow } from "./retrieve-escrow.ts";
import { DeliveryProofBody, type DeliveryProofEnvelope } from "./schemas.ts";
import { untilIndexed } from "./until-indexed.ts";

type Body = Static<typeof DeliveryProofBody>;
type Proof = typeof deliveryProof.$inferSelect;

const readBody: (request: Request) => Promise<Body> = bodyOf(DeliveryProofBody);

/** A proof is taken until one was valid (design, section 3: Created, Shipped, Delivered without a valid proof, Disputed). */
function requireProvable(view: IntentView): void {
  requireMovable(view);
  const { order } = view;
  if (!order) throw invalidStatus("The escrow order is not funded yet: submit the proof when it is.");
  const status = ORDER_STATUSES[order.status];
  if (order.proven || status === "AwaitingSettlement" || status === "Completed" || status === "Cancelled") {
    throw invalidStatus(`A delivery proof cannot be submitted for an order in status ${status}.`);
  }
}

/** Who may speak is fixed in the order's terms. */
function requireProver(view: IntentView, submittedBy: Address, simulated: boolean): Address | undefined {
  const { deliveryOracle } = view.terms;
  if (deliveryOracle === zeroAddress) return undefined;
  if (!isAddressEqual(deliveryOracle, submittedBy)) {
    throw invalidRequest("Only this order's deliveryOracle can submit its proof.", "submittedBy");
  }
  if (!simulated) {
    throw invalidRequest(
      "The oracle submits its proof on chain itself; send that transaction's hash as submitTxHash.",
      "submittedBy",
    );
  }
  return getAddress(deliveryOracle);
}

/** A proof that somebody brought to the chain already is checked there and not sent again. */
async function requireProofOnChain({ client, config }: Services, view: IntentView, body: Body, hash: Hex) {
  const refused = invalidRequest(
    "This transaction did not submit this proof for this order.",
    "submitTxHash",
  );
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
    if (!found) throw refused;
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) throw refused;
    throw error;
  }
}

const rowOf = (view: IntentView, body: Body, submitTxHash: Hex) => ({
  id: newId("proof"),
  intentId: view.intent.id,
  proofHash: body.proofHash,
  proofUri: body.proofURI ?? null,
  submittedBy: getAddress(body.submittedBy),
  submitTxHash,
});

async function record(
  database: Database | Transaction,
  view: IntentView,
  body: Body,
  hash: Hex,
): Promise<Proof> {
  const [row] = await database
    .insert(deliveryProof)
    .values(rowOf(view, body, hash))
    .returning();
  if (!row) throw internalError(new Error("An insert returned no row."));
  return row;
}

/** The oracle's own transaction, sent for it by the Hardhat node. */
async function proveForOracle(
  services: Services,
  view: IntentView,
  body: Body,
  oracle: Address,
): Promise<Proof> {
  requireProvable(view);
  const before = view.order?.updatedTxHash;
  try {
    const hash = await askChain(() =>
      proveAsOracle(services, oracle, [view.terms, body.proofHash, body.proofURI ?? ""]),
    );
    const proof = await record(services.database, view, body, hash);
    await untilIndexed(services, view, ({ order }) => order?.updatedTxHash !== before);
    return proof;
  } catch (error) {
    throw operationRefused(error) ?? error;
  }
}

async function prove(services: Services, view: IntentView, body: Body): Promise<Proof> {
  if (body.submitTxHash) {
    await requireProofOnChain(services, view, body, body.submitTxHash);
    return record(services.database, view, body, body.submitTxHash);
  }
  requireProvable(view);
  const oracle = requireProver(view, body.submittedBy, services.config.chain.simulated);
  if (oracle) return proveForOracle(services, view, body, oracle);
  const proof = await relayOperation(services, view, {
    purpose: "submit_delivery_proof",
    functionName: "submitDeliveryProof",
    args: [body.proofHash, body.proofURI ?? ""],
    require: requireProvable,
    record: (tx, { hash }) => record(tx, view, body, hash),
  });
  if (!proof) throw internalError(new Error("A relayed proof was not recorded."));
  return proof;
}

export async function submitDeliveryProof(
  services: Services,
  request: Request,
  id: string,
): Promise<Static<typeof DeliveryProofEnvelope>> {
  const caller = await services.authenticate(request);
  const view = await findOwnEscrow(services, caller, id);
  const body = await readBody(request);
  const proof = await prove(services, view, body);
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
