// Which orders need a call of the service's own, and the run that makes it for each. Level-triggered: the query decides,
// whoever woke it, so that nothing is forgotten by a process that was down.
import { and, eq, type SQL, sql } from "drizzle-orm";
import { restoreTerms } from "#core/chain/terms.ts";
import * as chain from "#core/db/chain.ts";
import { deployment, intent } from "#core/db/schema.ts";
import type { TransactionPurpose } from "#core/db/transaction-schema.ts";
import { indexedBlock, indexedTime, withWitness, witnessFields } from "#core/db/witness.ts";
import { ServiceError } from "#core/errors.ts";
import { describe } from "#core/log.ts";
import type { PreparedCall } from "#core/relayer/relayer.ts";
import type { Context } from "./context.ts";
import { Refusals } from "./refusals.ts";
import { mayRelay, relay, transactionsSoFar } from "./relay.ts";

/** Orders looked at in one run; the next run sees the others. */
const LIMIT = 200;

/** That an order's funding counts (spec: 5 or more confirmations). */
export const isFundedDeep = ({ config }: Pick<Context, "config">): SQL =>
  sql`${indexedBlock} - ${chain.order.createdBlock} + 1 >= ${config.chain.confirmations}`;

/** That the contract takes calls for this order from us as its operator. */
export const isOperatedBy = ({ relayer }: Pick<Context, "relayer">): SQL =>
  sql`lower(${chain.order.operator}) = ${relayer.account.address.toLowerCase()}`;

/** Intents that can still change: `intent_can_change` has them. */
export const canChange = sql`${intent.lastSeenStatus} not in ('FINAL', 'CANCELED')`;

/** Intents that the merchant has canceled: `intent_canceled` has them. */
export const isCanceledByMerchant = sql`${intent.lastSeenStatus} = 'CANCELED' and ${intent.canceledAt} is not null`;

/**
 * The query for orders in need of a call, of which none is on its way for the same purpose; the oldest first.
 * @param name tells it from another query for the same purpose
 */
export const dueOrders = (
  { reads, deployment: current }: Pick<Context, "reads" | "deployment">,
  purpose: TransactionPurpose,
  due: SQL | undefined,
  name: string = purpose,
) =>
  withWitness(
    reads
      .select({
        intentId: intent.id,
        orderId: intent.orderId,
        terms: intent.terms,
        /** Seconds by the chain's clock since anything changed the order. */
        age: sql<number>`(${indexedTime} - ${chain.order.updatedAt})::int`,
        /** Milestones released so far: the index of the next. */
        released: chain.order.milestones,
        transactions: transactionsSoFar(purpose),
        witness: witnessFields,
      })
      .from(intent)
      .innerJoin(deployment, and(eq(deployment.id, intent.deploymentId), deployment.current))
      .innerJoin(chain.order, eq(chain.order.id, intent.orderId))
      .$dynamic(),
  )
    .where(and(eq(intent.deploymentId, current.id), due, mayRelay(purpose)))
    .orderBy(chain.order.createdBlock)
    .limit(LIMIT)
    .prepare(`due_${name}`);

export type DueOrder = Awaited<ReturnType<ReturnType<typeof dueOrders>["execute"]>>[number];

type OrderCall = {
  purpose: TransactionPurpose;
  /** Takes the terms, and what `more` says. */
  functionName: string;
  more?: (order: DueOrder) => Promise<readonly unknown[]>;
  due: SQL | undefined;
};

/**
 * Makes a run that calls the contract once for each order that is due. That the contract would refuse is a fact to be
 * read, such as somebody else having been faster: the indexer will tell, and until then the order is asked about more
 * and more rarely.
 */
export function callForEach(
  context: Context,
  { purpose, functionName, more = async () => [], due }: OrderCall,
): () => Promise<void> {
  const { guard, relayer, log } = context;
  const query = dueOrders(context, purpose, due);
  const refusals = new Refusals();

  async function prepare(order: DueOrder): Promise<PreparedCall | undefined> {
    const { orderId, terms } = order;
    const args = [restoreTerms(terms), ...(await more(order))];
    try {
      return await relayer.prepare(purpose, [orderId], { functionName, args });
    } catch (error) {
      // Nobody answered: that says nothing of the order.
      if (error instanceof ServiceError) throw error;
      log.warn({ order: orderId, purpose, cause: describe(error) }, "call would be refused");
      return undefined;
    }
  }

  async function act(order: DueOrder): Promise<void> {
    const call = await prepare(order);
    if (!call) return refusals.add(order.orderId);
    refusals.forget(order.orderId);
    const chosen = new Map([[order.orderId, order.transactions]]);
    await relay(context, call, chosen);
  }

  return async () => {
    const orders = await query.execute();
    const [first] = orders;
    if (!first) return;
    await guard(first.witness);
    for (const order of orders) {
      if (!refusals.has(order.orderId)) await act(order);
    }
  };
}
