// Who owns the contract, and whether it takes new orders: neither touches an order that is there.
import { ponder } from "ponder:registry";
import { escrow } from "ponder:schema";

const ID = "escrow";

// The first of the contract's events: its constructor names the owner.
ponder.on("DeliveryVsPayment:OwnershipTransferred", async ({ event, context }) => {
  const { newOwner: owner } = event.args;
  await context.db
    .insert(escrow)
    .values({ id: ID, owner, pendingOwner: null, paused: false })
    .onConflictDoUpdate({ owner, pendingOwner: null });
});

ponder.on("DeliveryVsPayment:OwnershipTransferStarted", async ({ event, context }) => {
  await context.db.update(escrow, { id: ID }).set({ pendingOwner: event.args.newOwner });
});

ponder.on("DeliveryVsPayment:Paused", async ({ context }) => {
  await context.db.update(escrow, { id: ID }).set({ paused: true });
});

ponder.on("DeliveryVsPayment:Unpaused", async ({ context }) => {
  await context.db.update(escrow, { id: ID }).set({ paused: false });
});
