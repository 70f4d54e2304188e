// Shipment and proofs of delivery.
import { ponder } from "ponder:registry";
import { deliveryProof, order } from "ponder:schema";
import { operatedBy, recordedBy } from "./at.ts";
import { Status } from "./status.ts";

ponder.on("DeliveryVsPayment:OrderShipped", async ({ event, context }) => {
  await context.db
    .update(order, { id: event.args.orderId })
    .set({ status: Status.Shipped, shippedAt: event.block.timestamp, ...operatedBy(event) });
});

ponder.on("DeliveryVsPayment:DeliveryProofSubmitted", async ({ event, context }) => {
  const { orderId, submittedBy, proofHash, proofURI, proven } = event.args;
  const { proofs } = await context.db.update(order, { id: orderId }).set((row) => ({
    // A disputed order stays disputed. The proof is only recorded.
    status: row.status === Status.Disputed ? Status.Disputed : Status.Delivered,
    proven: row.proven || proven,
    deliveryHash: proofHash,
    deliveredAt: row.deliveredAt ?? event.block.timestamp,
    proofs: row.proofs + 1,
    ...operatedBy(event),
  }));
  await context.db.insert(deliveryProof).values({
    orderId,
    number: proofs,
    submittedBy,
    proofHash,
    proofUri: proofURI,
    proven,
    submittedAt: event.block.timestamp,
    ...recordedBy(event),
  });
});
