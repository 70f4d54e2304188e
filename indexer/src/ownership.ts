// The contract's owner, and its guardian, who can delist tokens. Neither can affect a funded order.
import { ponder } from "ponder:registry";
import { escrow } from "ponder:schema";

const ID = "escrow";

// This is the contract's first event, because the constructor sets the owner.
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
