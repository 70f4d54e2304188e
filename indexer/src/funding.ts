// The creation of an order. Only this event contains the full terms.
import { ponder } from "ponder:registry";
import { indexerBuild, listedToken, order } from "ponder:schema";
import { operatedBy } from "./at.ts";
import { Status } from "./status.ts";

ponder.on("DeliveryVsPayment:setup", async ({ context }) => {
  const build = process.env.INDEXER_BUILD;
  if (!build) throw new Error("INDEXER_BUILD is not set: start the indexer with indexer/main.ts.");
  await context.db.insert(indexerBuild).values({ id: "indexer", build }).onConflictDoNothing();
});

ponder.on("DeliveryVsPayment:OrderCreated", async ({ event, context }) => {
  const { orderId, payer, deliveryDeadline, terms } = event.args;
  await context.db.insert(order).values({
    id: orderId,
    // Contains, among others, the columns amount, token and payee.
    ...terms,
    payer,
    boundPayer: terms.payer,
    fundingDeadline: BigInt(terms.fundingDeadline),
    deliveryPeriod: BigInt(terms.deliveryPeriod),
    disputeWindow: BigInt(terms.disputeWindow),
    timeLockUntil: BigInt(terms.timeLockUntil),
    status: Status.Created,
    deliveryDeadline: BigInt(deliveryDeadline),
    proven: false,
    proofs: 0,
    milestoneReleases: 0,
    refunds: 0,
    settlements: 0,
    withdrawals: 0,
    released: 0n,
    settled: 0n,
    withdrawn: 0n,
    refunded: 0n,
    disputedByPayer: false,
    disputedByMerchant: false,
    createTxHash: event.transaction.hash,
    createdAt: event.block.timestamp,
    createdBlock: event.block.number,
    createdBlockHash: event.block.hash,
    ...operatedBy(event),
  });
});

ponder.on("DeliveryVsPayment:TokenListed", async ({ event, context }) => {
  const { token, listed } = event.args;
  await context.db.insert(listedToken).values({ address: token, listed }).onConflictDoUpdate({ listed });
});
