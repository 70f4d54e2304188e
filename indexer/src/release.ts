// Releases of the full amount and of milestones.
import { ponder } from "ponder:registry";
import { milestoneRelease, order } from "ponder:schema";
import { operatedBy, recordedBy } from "./at.ts";
import { Status } from "./status.ts";

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
