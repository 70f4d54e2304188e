// Settles released orders on chain: their funds go to the off-ramp's wallet. Only then, and deep enough, fiat follows
// (plan-payouts.ts).
import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { askChain } from "#core/chain/client.ts";
import { restoreTerms, type Terms } from "#core/chain/terms.ts";
import { inSlices } from "#core/db/batch.ts";
import * as chain from "#core/db/chain.ts";
import { ledgerPosting } from "#core/db/ledger-schema.ts";
import { intent } from "#core/db/schema.ts";
import { ServiceError } from "#core/errors.ts";
import type { OrderId } from "#core/ids.ts";
import { describe } from "#core/log.ts";
import type { Context } from "./context.ts";
import { canChange, type DueOrder, dueOrders, isFundedDeep, isOperatedBy } from "./due-orders.ts";
import { Refusals } from "./refusals.ts";
import { relay } from "./relay.ts";

type Due = {
  orderId: OrderId;
  terms: Terms;
  transactions: number;
  /** Seconds, by the chain's clock. */
  age: number;
};

/** Whose settlement the chain took back after the bank had paid: nothing follows that but this. */
const isLost = sql`${intent.lastSeenStatus} = 'FINAL' and ${intent.id} in (
  select ${ledgerPosting.intentId} from ${ledgerPosting}
  where ${ledgerPosting.deploymentId} = ${intent.deploymentId} and ${ledgerPosting.kind} = 'lost')`;

const findDue = (context: Context, name: string, some: SQL) =>
  dueOrders(
    context,
    "settle",
    and(
      some,
      isNull(intent.canceledAt),
      // Whoever withdrew on chain never gets fiat for the same order.
      eq(chain.order.withdrawn, 0n),
      sql`${chain.order.released} > ${chain.order.settled}`,
      // The contract refuses a whole batch for an order that another operator serves.
      isOperatedBy(context),
      isFundedDeep(context),
    ),
    name,
  );

/** One batch has one token and one off-ramp (contracts/IDeliveryVsPayment.sol, settle). */
function batchesOf(due: Due[], size: number): Due[][] {
  const groups = Map.groupBy(due, ({ terms }) => `${terms.token} ${terms.offRamp}`.toLowerCase());
  return [...groups.values()].flatMap((group) => inSlices(group, size));
}

const oldestOf = (batch: Due[]): number => Math.max(...batch.map(({ age }) => age));

/** Makes the question for one run whether a batch is to be sent now; the chain is asked at most once. */
function createTiming({ client, config }: Context): (batch: Due[]) => Promise<boolean> {
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
  const { guard, relayer, log, config } = context;
  const queries = [findDue(context, "settle", canChange), findDue(context, "settle_lost", isLost)];
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
    const rows: DueOrder[] = [];
    for (const query of queries) {
      const some = await query.execute();
      if (some[0]) await guard(some[0].witness);
      rows.push(...some);
    }
    const due = rows
      .filter((row) => !refusals.has(row.orderId))
      .map(({ terms, ...row }) => ({ ...row, terms: restoreTerms(terms) }));
    const isTime = createTiming(context);
    for (const batch of batchesOf(due, config.settle.batchSize)) {
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
