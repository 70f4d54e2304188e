import { fundPayment, gateway } from "./funded-payment.ts";

const { id, payer } = await fundPayment({
  autoRelease: true,
  metadata: { releaseType: "MILESTONE_LOCKED" },
});
for (const [milestoneIndex, description] of ["Plans", "Building"].entries()) {
  await gateway.milestones.create(id, { milestoneIndex, description, amount: "50.00" });
}
const { data: milestones } = await gateway.milestones.list(id);
for (const milestone of milestones) {
  await gateway.milestones.complete(id, milestone.id, { completedBy: payer.address });
}
const { status } = await gateway.paymentIntents.waitFor(id, "SETTLED");
console.log(status);
