// Disputes. Each side can raise one dispute, which ends with a resolution or with the order being resumed.
import { ponder } from "ponder:registry";
import { dispute, order, refund } from "ponder:schema";
import { operatedBy, recordedBy } from "./at.ts";
import { Status } from "./status.ts";

/** Value of the contract's `Side` enum. */
const PAYER = 0;

ponder.on("DeliveryVsPayment:DisputeRaised", async ({ event, context }) => {
  const { orderId, actor, side, disputeDeadline, deliveryDeadline, reason } = event.args;
  const byPayer = side === PAYER;
  await context.db.update(order, { id: orderId }).set((row) => ({
    status: Status.Disputed,
    statusBeforeDispute: row.status,
    disputeSide: side,
    disputeActor: actor,
    disputeReason: reason,
    disputeRaisedAt: event.block.timestamp,
    disputeDeadline: BigInt(disputeDeadline),
    deliveryDeadline: BigInt(deliveryDeadline),
    disputedByPayer: row.disputedByPayer || byPayer,
    disputedByMerchant: row.disputedByMerchant || !byPayer,
    ...operatedBy(event),
  }));
  await context.db.insert(dispute).values({
    id: `${orderId}-${side}`,
    orderId,
    side,
    actor,
    reason,
    raisedAt: event.block.timestamp,
    deadline: BigInt(disputeDeadline),
    resumed: false,
    ...recordedBy(event),
  });
});

ponder.on("DeliveryVsPayment:DisputeResolved", async ({ event, context }) => {
  const { orderId, actor, cause, payeeAmount, payerAmount } = event.args;
  const at = event.block.timestamp;
  const { disputeSide, refunds } = await context.db.update(order, { id: orderId }).set((row) => ({
    ...(payeeAmount > 0n
      ? { status: Status.AwaitingSettlement, releasedAt: at }
      : { status: Status.Cancelled, endedAt: at }),
    released: row.released + payeeAmount,
    refunded: row.refunded + payerAmount,
    refunds: payerAmount > 0n ? row.refunds + 1 : row.refunds,
    ...operatedBy(event),
  }));
  await context.db
    .update(dispute, { id: `${orderId}-${disputeSide}` })
    .set({ endedAt: at, cause, payeeAmount, payerAmount });
  if (payerAmount === 0n) return;
  await context.db.insert(refund).values({
    orderId,
    number: refunds,
    amount: payerAmount,
    cause,
    actor,
    refundedAt: at,
    ...recordedBy(event),
  });
});

ponder.on("DeliveryVsPayment:OrderResumed", async ({ event, context }) => {
  const { orderId, status } = event.args;
  const { disputeSide } = await context.db
    .update(order, { id: orderId })
    .set({ status, ...operatedBy(event) });
  await context.db
    .update(dispute, { id: `${orderId}-${disputeSide}` })
    .set({ endedAt: event.block.timestamp, resumed: true });
});
