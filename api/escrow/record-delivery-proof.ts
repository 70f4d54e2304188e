// Records a delivery proof that is already on chain. The proof is verified on chain and stored, but not sent
// again (spec, operation 7).
import type { Static } from "@sinclair/typebox";
import { and, eq } from "drizzle-orm";
import { getAddress, type Hex, isAddressEqual, parseEventLogs, TransactionReceiptNotFoundError } from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { askChain } from "#core/chain/client.ts";
import type { Transaction } from "#core/db/client.ts";
import { returned } from "#core/db/returned.ts";
import { deliveryProof } from "#core/db/schema/intents.ts";
import { invalidRequest } from "#core/errors.ts";
import { newId, orderIdOfIntent } from "#core/ids.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { toEscrowId } from "#core/intent/show-escrow.ts";
import { toUnixSeconds } from "#core/model/unix-time.ts";
import type { Call } from "../http/request-context.ts";
import { lockIntent } from "../payment-intents/find.ts";
import type { Services } from "../services.ts";
import type { DeliveryProofBody, DeliveryProofEnvelope } from "./schemas.ts";

export type ProofBody = Static<typeof DeliveryProofBody>;
export type ProofEnvelope = Static<typeof DeliveryProofEnvelope>;
type Proof = typeof deliveryProof.$inferSelect;

const buildRow = (view: IntentView, body: ProofBody, submitTxHash: Hex) => ({
  id: newId("proof"),
  merchantId: view.intent.merchantId,
  intentId: view.intent.id,
  proofHash: body.proofHash,
  proofUri: body.proofURI ?? null,
  submittedBy: getAddress(body.submittedBy),
  submitTxHash,
});

export const insertProof = async (
  tx: Transaction,
  view: IntentView,
  body: ProofBody,
  hash: Hex,
): Promise<Proof> =>
  returned(
    await tx
      .insert(deliveryProof)
      .values(buildRow(view, body, hash))
      .returning(),
  );

export function buildProofEnvelope(view: IntentView, proof: Proof): ProofEnvelope {
  return {
    id: proof.id,
    object: "delivery_proof",
    data: {
      id: proof.id,
      conditionalPaymentId: toEscrowId(view),
      paymentIntentId: view.intent.id,
      proofHash: proof.proofHash,
      proofURI: proof.proofUri,
      submittedBy: proof.submittedBy,
      submittedAt: String(toUnixSeconds(proof.createdAt)),
      submitTxHash: proof.submitTxHash,
      createdAt: proof.createdAt.toISOString(),
    },
  };
}

/** Records a proof that is already on chain. Idempotent. */
export const recordProof = (
  services: Services,
  call: Call,
  view: IntentView,
  body: ProofBody,
  hash: Hex,
): Promise<ProofEnvelope> =>
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
    return call.answer(tx, buildProofEnvelope(view, known ?? (await insertProof(tx, view, body, hash))));
  });

/** @throws ServiceError 400 if the transaction is not on chain or did not submit this proof */
export async function requireProofOnChain(
  { client, config }: Services,
  view: IntentView,
  body: ProofBody,
  hash: Hex,
) {
  const refused = (message: string) => invalidRequest(message, "submitTxHash");
  try {
    const receipt = await askChain(() => client.getTransactionReceipt({ hash }));
    const logs = parseEventLogs({
      abi: deliveryVsPaymentAbi,
      eventName: "DeliveryProofSubmitted",
      logs: receipt.logs,
    });
    const orderId = orderIdOfIntent(view.intent.id);
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
      throw refused("This transaction is not on chain yet. Send its hash once it is mined.");
    }
    throw error;
  }
}
