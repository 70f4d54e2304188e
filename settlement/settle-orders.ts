// Settles released orders on chain: their funds go to the off-ramp's wallet. Only then, and deep enough, fiat follows
// (plan-payouts.ts).
import { and, eq, exists, isNull, or, sql } from "drizzle-orm";
import { askChain } from "#core/chain/client.ts";
import { groupForSettlement } from "#core/chain/settlement-groups.ts";
import { restoreTerms, type Terms } from "#core/chain/terms.ts";
import { inSlices } from "#core/db/batch.ts";
import * as chain from "#core/db/chain.ts";
import { ledgerPosting } from "#core/db/ledger-schema.ts";
import { intent } from "#core/db/schema.ts";
import { ServiceError } from "#core/errors.ts";
import type { OrderId } from "#core/ids.ts";
import { describe } from "#core/log.ts";
import type { Context } from "./context.ts";
import { canChange, createDueOrders, isFundedDeep, isOperatedBy } from "./due-orders.ts";
import { Refusals } from "./refusals.ts";
import { relay } from "./relay.ts";

type ReleasedOrder = {
  orderId: OrderId;
  terms: Terms;
  transactions: number;
  /** Seconds, by the chain's clock. */
  age: number;
};

/** Settled orders whose settlement a reorg dropped after the bank had paid: nothing follows that but this. */
const isLost = ({ database }: Context) =>
  and(
    sql`${intent.lastSeenStatus} = 'FINAL'`,
    exists(
      database
        .select({ kind: ledgerPosting.kind })
        .from(ledgerPosting)
        .where(
          and(
            eq(ledgerPosting.intentId, intent.id),
            eq(ledgerPosting.deploymentId, intent.deploymentId),
            eq(ledgerPosting.kind, "lost"),
          ),
        ),
    ),
  );

const isDue = (context: Context) =>
  and(
    or(canChange, isLost(context)),
    isNull(intent.canceledAt),
    // Whoever withdrew on chain never gets fiat for the same order.
    sql`${chain.order.released} > ${chain.order.settled} and ${chain.order.withdrawn} = 0`,
    // The contract refuses a whole batch for an order that another operator serves.
    isOperatedBy(context),
    isFundedDeep(context),
  );

/**
 * One batch has one token and one off-ramp (contracts/IDeliveryVsPayment.sol, settle). What was refused before has
 * batches of its own, and the first batch of each kind comes before the second of any: however many orders of one
 * wallet are refused, those of another do not wait for them.
 */
function batchesOf(due: ReleasedOrder[], size: number, refusals: Refusals): ReleasedOrder[][] {
  const groups = Map.groupBy(due, ({ orderId, terms }) =>
    `${terms.token} ${terms.offRamp} ${refusals.has(orderId)}`.toLowerCase(),
  );
  return [...groups.values()]
    .flatMap((group) => inSlices(group, size).map((batch, position) => ({ batch, position })))
    .sort((a, b) => a.position - b.position)
    .map(({ batch }) => batch);
}

const oldestOf = (batch: ReleasedOrder[]): number => Math.max(...batch.map(({ age }) => age));

/** Makes the question for one run whether a batch is to be sent now; the chain is asked at most once. */
function createTiming({ client, config }: Context): (batch: ReleasedOrder[]) => Promise<boolean> {
  const { batchSize, batchAge, maxBaseFee, maxWait } = config.settle;
  let asked: Promise<boolean> | undefined;

  async function isCheap(most: bigint): Promise<boolean> {
    const { baseFeePerGas } = await askChain(() => client.getBlock());
    return (baseFeePerGas ?? 0n) <= most;
  }

  return async (batch) => {
    const oldest = oldestOf(batch);
    if (batch.length < batchSize && oldest < batchAge) return false;
    if (maxBaseFee === undefined || oldest >= maxWait) return true;
    asked ??= isCheap(maxBaseFee);
    return asked;
  };
}

/** Makes the settler's run. */
export function createSettler(context: Context): () => Promise<void> {
  const { relayer, log, config } = context;
  const refusals = new Refusals();
  const find = createDueOrders(
    context,
    "settle",
    { where: isDue(context), by: chain.order.createdBlock },
    refusals,
  );

  /** @returns false if the chain would refuse the batch as a whole */
  async function settle(batch: ReleasedOrder[]): Promise<boolean> {
    const orderIds = batch.map((order) => order.orderId);
    const call = await relayer
      .prepare("settle", orderIds, {
        functionName: "settle",
        args: [groupForSettlement(batch.map((order) => order.terms))],
      })
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
    const due: ReleasedOrder[] = [];
    for await (const orders of find()) {
      due.push(...orders.map(({ terms, ...order }) => ({ ...order, terms: restoreTerms(terms) })));
    }
    const isTime = createTiming(context);
    for (const batch of batchesOf(due, config.settle.batchSize, refusals)) {
      if (!(await isTime(batch))) continue;
      if (await settle(batch)) continue;
      // One of them is bad: the others shall not wait for it.
      for (const order of batch) {
        if (batch.length > 1 && (await settle([order]))) continue;
        refusals.add(order.orderId);
      }
    }
  };
}
