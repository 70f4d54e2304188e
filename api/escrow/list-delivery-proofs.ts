// Lists the delivery proofs of an order, newest first: the on-chain records with the merchant's additional data.
import type { Static } from "@sinclair/typebox";
import { desc, eq } from "drizzle-orm";
import { getAddress } from "viem";
import { chainDeliveryProof } from "#core/db/chain.ts";
import { deliveryProof } from "#core/db/schema/intents.ts";
import { orderIdOfIntent } from "#core/ids.ts";
import { toEscrowId } from "#core/intent/show-escrow.ts";
import { toUnixSeconds } from "#core/model/unix-time.ts";
import type { Call } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import { findOwnEscrow } from "./retrieve-escrow.ts";
import type { DeliveryProofList } from "./schemas.ts";

export async function listDeliveryProofs(
  services: Services,
  call: Call,
): Promise<Static<typeof DeliveryProofList>> {
  const view = await findOwnEscrow(services, call);
  const { database } = services;
  const proofs = await database
    .select()
    .from(chainDeliveryProof)
    .where(eq(chainDeliveryProof.orderId, orderIdOfIntent(view.intent.id)))
    .orderBy(desc(chainDeliveryProof.submittedAt), desc(chainDeliveryProof.number));
  const said = await database.select().from(deliveryProof).where(eq(deliveryProof.intentId, view.intent.id));
  const byTransaction = new Map(said.map((row) => [row.submitTxHash, row]));
  const data = proofs.map((proof) => {
    const own = byTransaction.get(proof.txHash);
    const id = own?.id ?? `proof_${proof.orderId.slice(2)}_${proof.number}`;
    return {
      id,
      object: "delivery_proof" as const,
      data: {
        id,
        conditionalPaymentId: toEscrowId(view),
        paymentIntentId: view.intent.id,
        proofHash: proof.proofHash,
        proofURI: proof.proofUri === "" ? null : proof.proofUri,
        submittedBy: own?.submittedBy ?? getAddress(proof.submittedBy),
        // The same time as in the response to the submission, because the chain's clock may differ.
        submittedAt: String(own ? toUnixSeconds(own.createdAt) : proof.submittedAt),
        submitTxHash: proof.txHash,
        createdAt: (own?.createdAt ?? new Date(proof.submittedAt * 1000)).toISOString(),
      },
    };
  });
  return { object: "list", data, has_more: false, url: call.url.pathname };
}
