// Unreleased funds that are returned to the payer without the resolution of a dispute.
import { ponder } from "ponder:registry";
import { order, refund } from "ponder:schema";
import { operatedBy, recordedBy } from "./at.ts";
import { Status } from "./status.ts";

ponder.on("DeliveryVsPayment:OrderRefunded", async ({ event, context }) => {
  const { orderId, actor, cause, amount, complete } = event.args;
  const at = event.block.timestamp;
  const { refunds } = await context.db.update(order, { id: orderId }).set((row) => ({
    ...(complete ? { status: Status.Cancelled, endedAt: at } : {}),
    refunded: row.refunded + amount,
    refunds: row.refunds + 1,
    ...operatedBy(event),
  }));
  await context.db.insert(refund).values({
    orderId,
    number: refunds,
    amount,
    cause,
    actor,
    refundedAt: at,
    ...recordedBy(event),
  });
});
