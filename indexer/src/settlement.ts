// Released funds that leave the escrow, either to the off-ramp or to the payee on chain.
import { ponder } from "ponder:registry";
import { credit, order, settlement, settlementSkip, withdrawal } from "ponder:schema";
import { recordedBy, updatedBy } from "./at.ts";
import { Status } from "./status.ts";

/** Such a transfer contains all released funds, so it completes an order that awaits settlement. */
const completed = (row: typeof order.$inferSelect, at: bigint) =>
  row.status === Status.AwaitingSettlement ? { status: Status.Completed, endedAt: at } : {};

ponder.on("DeliveryVsPayment:OrderSettled", async ({ event, context }) => {
  const { orderId, offRamp, amount } = event.args;
  const { settlements } = await context.db.update(order, { id: orderId }).set((row) => ({
    settled: row.settled + amount,
    settlements: row.settlements + 1,
    ...completed(row, event.block.timestamp),
    ...updatedBy(event),
  }));
  await context.db.insert(settlement).values({
    orderId,
    number: settlements,
    offRamp,
    amount,
    settledAt: event.block.timestamp,
    blockHash: event.block.hash,
    ...recordedBy(event),
  });
});

ponder.on("DeliveryVsPayment:SettlementSkipped", async ({ event, context }) => {
  const { orderId, reason } = event.args;
  // Skips of unknown orders are ignored. Anyone can name themselves operator of orders that were never funded
  // and cause such skips, which would add unlimited rows for little gas.
  if (!(await context.db.find(order, { id: orderId }))) return;
  const last = { reason, skippedAt: event.block.timestamp, ...recordedBy(event) };
  await context.db
    .insert(settlementSkip)
    .values({ orderId, skipCount: 1, ...last })
    .onConflictDoUpdate((row) => ({ skipCount: row.skipCount + 1, ...last }));
});

ponder.on("DeliveryVsPayment:OrderWithdrawn", async ({ event, context }) => {
  const { orderId, amount } = event.args;
  const { withdrawals } = await context.db.update(order, { id: orderId }).set((row) => ({
    withdrawn: row.withdrawn + amount,
    withdrawals: row.withdrawals + 1,
    ...completed(row, event.block.timestamp),
    ...updatedBy(event),
  }));
  await context.db.insert(withdrawal).values({
    orderId,
    number: withdrawals,
    amount,
    ...recordedBy(event),
  });
});

ponder.on("DeliveryVsPayment:CreditAdded", async ({ event, context }) => {
  const { account, token, amount } = event.args;
  await context.db
    .insert(credit)
    .values({ id: `${account}-${token}`, account, token, amount })
    .onConflictDoUpdate((row) => ({ amount: row.amount + amount }));
});

ponder.on("DeliveryVsPayment:CreditClaimed", async ({ event, context }) => {
  const { account, token, amount } = event.args;
  await context.db
    .update(credit, { id: `${account}-${token}` })
    .set((row) => ({ amount: row.amount - amount }));
});
