// Settles released orders on chain: their funds go to the off-ramp's wallet. Released orders become due in
// derive-work.ts. The fiat payout follows only after the settlement is confirmed (plan-payouts.ts).
import { and, eq, exists, isNull, or, sql } from "drizzle-orm";
import { askChain } from "#core/chain/client.ts";
import { restoreTerms, type Terms } from "#core/chain/terms.ts";
import { createSwitches } from "#core/controls/switches.ts";
import { inSlices } from "#core/db/batch.ts";
import * as chain from "#core/db/chain.ts";
import { intent } from "#core/db/schema/intents.ts";
import { ledgerPosting } from "#core/db/schema/ledger.ts";
import type { OrderId } from "#core/ids.ts";
import { findWithdrawal } from "#core/intent/find-withdrawal.ts";
import type { Context } from "../runtime/context.ts";
import { nextBlock, type Refusal } from "../runtime/work-items.ts";
import { collectOutcomes, type WorkHandler } from "../runtime/work-loop.ts";
import { checkLater, createCaller, createOrderReading, isNotFinal, isOperatedBy } from "./due-orders.ts";
import { groupForSettlement } from "./settlement-groups.ts";

/** Retry delay while settling is switched off. */
const STOPPED_MS = 2_000;
/**
 * Retry delay for an amount that no bank accepts and that is left to the payee: a changed setting or order may make it
 * payable.
 */
const WITHDRAWAL_MS = 3_600_000;

/** Number of orders, of each kind that a claim counts separately, that are read and grouped at a time. */
const AT_ONCE = 1_000;

type ReleasedOrder = {
  orderId: OrderId;
  terms: Terms;
  transactions: number;
  unhelpful: number;
  /** Seconds, by the chain's clock. */
  age: number;
  /** Number of attempts to settle the order that failed since the last one that did not. */
  attempts: number;
};

/**
 * Matches final payments whose settlement a reorg removed after the bank had paid: only this condition settles them
 * again.
 */
const isLost = ({ database }: Context) =>
  and(
    sql`${intent.lastEmittedStatus} = 'FINAL'`,
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
    or(isNotFinal, isLost(context)),
    isNull(intent.canceledAt),
    // A payee who withdrew on chain never gets fiat for the same order.
    sql`${chain.order.released} > ${chain.order.settled} and ${chain.order.withdrawn} = 0`,
    // The contract rejects an entire batch if one of its orders has another operator.
    isOperatedBy(context),
  );

type Batch = { orders: ReleasedOrder[]; group: string };

/**
 * Each batch has one token and one off-ramp (contracts/IDeliveryVsPayment.sol, settle). Orders that failed before get
 * batches of their own, after all others, and the first batch of each group precedes the second batch of any group, so
 * that failing orders of one wallet never delay the orders of another.
 */
function buildBatches(due: ReleasedOrder[], size: number): Batch[] {
  const isSuspect = ({ attempts }: ReleasedOrder): boolean => attempts > 0;
  return [false, true].flatMap((suspects) => {
    const groups = Map.groupBy(
      due.filter((order) => isSuspect(order) === suspects),
      ({ terms }) => `${terms.token} ${terms.offRamp}`.toLowerCase(),
    );
    return [...groups]
      .flatMap(([group, all]) => inSlices(all, size).map((orders, position) => ({ orders, group, position })))
      .sort((a, b) => a.position - b.position);
  });
}

const findMaxAge = (batch: ReleasedOrder[]): number => Math.max(...batch.map(({ age }) => age));

/** Creates a function that decides for one run whether to send a batch now. It queries the chain at most once. */
function createTiming({ client, config }: Context): (batch: ReleasedOrder[]) => Promise<boolean> {
  const { batchSize, batchAge, maxBaseFee, maxWait } = config.settle;
  let asked: Promise<boolean> | undefined;

  async function isCheap(most: bigint): Promise<boolean> {
    const { baseFeePerGas } = await askChain(() => client.getBlock());
    return (baseFeePerGas ?? 0n) <= most;
  }

  return async (batch) => {
    const oldest = findMaxAge(batch);
    if (batch.length < batchSize && oldest < batchAge) return false;
    if (maxBaseFee === undefined || oldest >= maxWait) return true;
    asked ??= isCheap(maxBaseFee);
    return asked;
  };
}

/**
 * Returns a handler that settles released orders in batches, as soon as a batch is full, or old enough and cheap
 * enough.
 */
export function createSettler(context: Context): WorkHandler {
  const { config, log } = context;
  const read = createOrderReading(context, "settle", isDue(context));
  const switches = createSwitches(context.database);

  /** @returns why the batch was not sent; undefined if it was */
  const settle = (
    { orders, group }: Batch,
    call: ReturnType<typeof createCaller>,
  ): Promise<Refusal | undefined> =>
    call(group, new Map(orders.map((order) => [order.orderId, order.transactions])), {
      functionName: "settle",
      args: [groupForSettlement(orders.map((order) => order.terms))],
    });

  return {
    atOnce: AT_ONCE,
    handle: (items, head) =>
      collectOutcomes(async (outcomes) => {
        const due: ReleasedOrder[] = [];
        for (const { confirmed, free, terms, ...order } of await read(items)) {
          const { orderId, unhelpful } = order;
          const withdrawal = findWithdrawal(config, { ...order, terms }, order);
          if (confirmed && withdrawal) {
            outcomes.set(orderId, { delayMs: WITHDRAWAL_MS });
            log.info(
              { order: orderId, reason: withdrawal.reason },
              "released funds can only be withdrawn by the payee",
            );
          } else if (!confirmed) outcomes.set(orderId, nextBlock(head));
          else if (!free) outcomes.set(orderId, checkLater(unhelpful));
          else due.push({ ...order, terms: restoreTerms(terms) });
        }
        const isTime = createTiming(context);
        const call = createCaller(context, "settle");
        const sent = ({ orderId, unhelpful }: ReleasedOrder) =>
          outcomes.set(orderId, checkLater(unhelpful + 1));
        for (const batch of buildBatches(due, config.settle.batchSize)) {
          const { orders, group } = batch;
          if (await switches.isOff("settling")) {
            for (const { orderId } of orders) outcomes.set(orderId, { delayMs: STOPPED_MS });
            continue;
          }
          if (!(await isTime(orders))) {
            for (const { orderId } of orders) outcomes.set(orderId, nextBlock(head));
            continue;
          }
          const refusal = await settle(batch, call);
          if (!refusal) {
            orders.forEach(sent);
            continue;
          }
          // At least one order fails and must not delay the others, so each order is sent by itself.
          for (const order of orders) {
            const alone =
              orders.length > 1 && !refusal.untried
                ? await settle({ orders: [order], group }, call)
                : refusal;
            if (!alone) sent(order);
            // Orders that fail in a batch become suspects, but only those that fail alone wait longer each time.
            else if (alone.untried && order.attempts === 0) outcomes.set(order.orderId, refusal);
            else outcomes.set(order.orderId, alone);
          }
        }
      }),
  };
}
