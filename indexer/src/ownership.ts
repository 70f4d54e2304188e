// The contract's owner, and the guardian, who can delist tokens: neither affects a funded order.
import { ponder } from "ponder:registry";
import { escrow } from "ponder:schema";

const ID = "escrow";

// The contract's first event: its constructor sets the owner.
ponder.on("DeliveryVsPayment:OwnershipTransferred", async ({ event, context }) => {
  const { newOwner: owner } = event.args;
  await context.db
    .insert(escrow)
    .values({ id: ID, owner, pendingOwner: null, guardian: null })
    .onConflictDoUpdate({ owner, pendingOwner: null });
});

ponder.on("DeliveryVsPayment:OwnershipTransferStarted", async ({ event, context }) => {
  await context.db.update(escrow, { id: ID }).set({ pendingOwner: event.args.newOwner });
});

ponder.on("DeliveryVsPayment:GuardianChanged", async ({ event, context }) => {
  await context.db.update(escrow, { id: ID }).set({ guardian: event.args.guardian });
});
