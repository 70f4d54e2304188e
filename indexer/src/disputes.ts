// Disputes, and how unreleased funds go back to the payer.
import { ponder } from "ponder:registry";
import { order } from "ponder:schema";
import { refundedBy, updatedBy } from "./at.ts";
import { Status } from "./status.ts";

ponder.on("DeliveryVsPayment:DisputeRaised", async ({ event, context }) => {
  const { orderId, raisedBy, disputeDeadline, reason } = event.args;
  await context.db.update(order, { id: orderId }).set({
    status: Status.Disputed,
    disputeRaisedAt: event.block.timestamp,
    disputeDeadline: BigInt(disputeDeadline),
    disputeReason: reason,
    disputeRaisedBy: raisedBy,
    ...updatedBy(event),
  });
});

ponder.on("DeliveryVsPayment:DisputeResolved", async ({ event, context }) => {
  const { orderId, cause, payeeAmount, payerAmount } = event.args;
  const at = event.block.timestamp;
  await context.db.update(order, { id: orderId }).set((row) => ({
    ...(payeeAmount > 0n
      ? { status: Status.AwaitingSettlement, releasedAt: at }
      : { status: Status.Cancelled, endedAt: at }),
    released: row.released + payeeAmount,
    refunded: row.refunded + payerAmount,
    ...(payerAmount > 0n ? refundedBy(event) : {}),
    disputeCause: cause,
    disputePayeeAmount: payeeAmount,
    ...updatedBy(event),
  }));
});

ponder.on("DeliveryVsPayment:OrderRefunded", async ({ event, context }) => {
  const { orderId, amount } = event.args;
  await context.db.update(order, { id: orderId }).set((row) => ({
    status: Status.Cancelled,
    refunded: row.refunded + amount,
    ...refundedBy(event),
    endedAt: event.block.timestamp,
    ...updatedBy(event),
  }));
});
