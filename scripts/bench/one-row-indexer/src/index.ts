// The baseline for the indexer: a Ponder app with the same configuration whose handlers insert one row.
import { ponder } from "ponder:registry";
import { row } from "../ponder.schema.ts";

const EVENTS = ["OrderCreated", "DeliveryProofSubmitted", "FundsReleased", "OrderSettled"] as const;

for (const name of EVENTS) {
  ponder.on(`DeliveryVsPayment:${name}`, async ({ event, context }) => {
    const { id, args, block } = event;
    await context.db.insert(row).values({ id, orderId: args.orderId, block: block.number });
  });
}
