// Settles released orders on chain: their funds go to the off-ramp's wallet. Only then, and deep enough, fiat follows
// (plan-payouts.ts).
import { and, eq, isNull, sql } from "drizzle-orm";
import { restoreTerms, type Terms } from "#core/chain/terms.ts";
import * as chain from "#core/db/chain.ts";
import { intent } from "#core/db/schema.ts";
import { ServiceError } from "#core/errors.ts";
import type { OrderId } from "#core/ids.ts";
import { describe } from "#core/log.ts";
import type { Context } from "./context.ts";
import { canChange, dueOrders, isFundedDeep, isOperatedBy } from "./due-orders.ts";
import { Refusals } from "./refusals.ts";
import { relay } from "./relay.ts";

/** Orders in one transaction. */
const BATCH = 20;

type Due = { orderId: OrderId; terms: Terms; transactions: number };

const findDue = (context: Context) =>
  dueOrders(
    context,
    "settle",
    and(
      canChange,
      isNull(intent.canceledAt),
      // Whoever withdrew on chain never gets fiat for the same order.
      eq(chain.order.withdrawn, 0n),
      sql`${chain.order.released} > ${chain.order.settled}`,
      // The contract refuses a whole batch for an order that another operator serves.
      isOperatedBy(context),
      isFundedDeep(context),
    ),
  );

/** One batch has one token and one off-ramp (contracts/IDeliveryVsPayment.sol, settle). */
function batchesOf(due: Due[]): Due[][] {
  const groups = Map.groupBy(due, ({ terms }) => `${terms.token} ${terms.offRamp}`.toLowerCase());
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / BATCH) }, (_, i) =>
      group.slice(i * BATCH, (i + 1) * BATCH),
    ),
  );
}

/** Makes the settler's run. */
export function createSettler(context: Context): () => Promise<void> {
  const { guard, relayer, log } = context;
  const query = findDue(context);
  const refusals = new Refusals();

  /** @returns false if the chain would refuse the batch as a whole */
  async function settle(batch: Due[]): Promise<boolean> {
    const orderIds = batch.map((order) => order.orderId);
    const call = await relayer
      .prepare("settle", orderIds, { functionName: "settle", args: [batch.map((order) => order.terms)] })
      .catch((error: unknown) => {
        // Nobody answered: that says nothing of the orders.
        if (error instanceof ServiceError) throw error;
        log.warn({ orders: orderIds, cause: describe(error) }, "settlement would be refused");
        return undefined;
      });
    if (!call) return false;
    await relay(context, call, new Map(batch.map((order) => [order.orderId, order.transactions])));
    for (const id of orderIds) refusals.forget(id);
    return true;
  }

  return async () => {
    const rows = await query.execute();
    const [first] = rows;
    if (!first) return;
    await guard(first.witness);
    const due = rows
      .filter((row) => !refusals.has(row.orderId))
      .map(({ orderId, terms, transactions }) => ({ orderId, terms: restoreTerms(terms), transactions }));
    for (const batch of batchesOf(due)) {
      if (await settle(batch)) continue;
      // One of them is bad: the others shall not wait for it.
      for (const order of batch) {
        if (batch.length > 1 && (await settle([order]))) continue;
        refusals.add(order.orderId);
      }
    }
  };
}
