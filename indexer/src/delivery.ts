// Shipment, proofs of delivery, and releases.
import { ponder } from "ponder:registry";
import { deliveryProof, milestoneRelease, order } from "ponder:schema";
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

ponder.on("DeliveryVsPayment:FundsReleased", async ({ event, context }) => {
  const { orderId, amount } = event.args;
  await context.db.update(order, { id: orderId }).set((row) => ({
    status: Status.AwaitingSettlement,
    released: row.released + amount,
    releasedAt: event.block.timestamp,
    ...operatedBy(event),
  }));
});

ponder.on("DeliveryVsPayment:MilestoneReleased", async ({ event, context }) => {
  const { orderId, actor, amount, released, complete } = event.args;
  const { milestoneReleases } = await context.db.update(order, { id: orderId }).set((row) => ({
    status: complete ? Status.AwaitingSettlement : row.status,
    released,
    releasedAt: complete ? event.block.timestamp : row.releasedAt,
    milestoneReleases: row.milestoneReleases + 1,
    ...operatedBy(event),
  }));
  await context.db.insert(milestoneRelease).values({
    orderId,
    number: milestoneReleases,
    amount,
    released,
    actor,
    releasedAt: event.block.timestamp,
    ...recordedBy(event),
  });
});
