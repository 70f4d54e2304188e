// Which orders need a call of the service's own, and the run that makes it for each. Level-triggered: the query decides,
// whoever woke it, so that nothing is forgotten by a process that was down.
import { and, eq, not, type SQL, sql } from "drizzle-orm";
import { ORDER_STATUSES, RELEASE_TYPES, type ReleaseType, restoreTerms } from "#core/chain/terms.ts";
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

/** Orders read at a time, and how often in one pass; the next pass begins where this one ended. */
const PAGE = 1_000;
const PAGES = 20;

/** As a partial index's condition has them: a parameter says nothing to a plan. */
export const statuses = (...names: (typeof ORDER_STATUSES)[number][]): SQL =>
  sql.raw(names.map((name) => ORDER_STATUSES.indexOf(name)).join(", "));
export const releaseType = (name: ReleaseType): SQL => sql.raw(String(RELEASE_TYPES.indexOf(name)));

/** That an order's funding counts (spec: 5 or more confirmations). */
export const isFundedDeep = ({ config }: Pick<Context, "config">): SQL =>
  sql`${indexedBlock} - ${chain.order.createdBlock} + 1 >= ${config.chain.confirmations}`;

/** That the contract takes calls for this order from us as its operator. */
export const isOperatedBy = ({ relayer }: Pick<Context, "relayer">): SQL =>
  sql`lower(${chain.order.operator}) = ${relayer.account.address.toLowerCase()}`;

/** Intents that can still change: `intent_can_change` has them. */
export const canChange = sql`${intent.lastSeenStatus} not in ('FINAL', 'CANCELED')`;

/** Intents that the merchant has canceled: `intent_canceled_by_merchant` has them. */
export const isCanceledByMerchant = sql`${intent.lastSeenStatus} = 'CANCELED' and ${intent.canceledAt} is not null`;

/** Which orders are due. */
export type Due = {
  /** Has, without parameters, the condition of an index that leads to few more orders (indexer/ponder.schema.ts). */
  where: SQL | undefined;
  /** The index's column: those with the lowest value come first. */
  by: typeof chain.order.createdBlock | typeof chain.order.disputeDeadline | typeof chain.order.timeLockUntil;
};

const createQuery = (
  { reads, deployment: current }: Pick<Context, "reads" | "deployment">,
  purpose: TransactionPurpose,
  { where, by }: Due,
) => {
  // As a set that is made once, however many they are: a join or an array is searched from end to end for each order.
  const isRefused = sql`${chain.order.id} in (select unnest(${sql.placeholder("refused")}::text[]))`;
  const place = sql`(${by}, ${chain.order.id})`;
  return withWitness(
    reads
      .select({
        intentId: intent.id,
        orderId: intent.orderId,
        terms: intent.terms,
        /** Seconds by the chain's clock since anything changed the order. */
        age: sql<number>`(${indexedTime} - ${chain.order.updatedAt})::int`,
        transactions: transactionsSoFar(purpose),
        at: sql<number>`${by}`.mapWith(by),
        witness: witnessFields,
      })
      .from(intent)
      .innerJoin(deployment, and(eq(deployment.id, intent.deploymentId), deployment.current))
      .innerJoin(chain.order, eq(chain.order.id, intent.orderId))
      .$dynamic(),
  )
    .where(
      and(
        eq(intent.deploymentId, current.id),
        where,
        mayRelay(purpose),
        not(isRefused),
        sql`${place} > (${sql.placeholder("at")}::numeric, ${sql.placeholder("id")}::text)`,
      ),
    )
    .orderBy(by, chain.order.id)
    .limit(PAGE)
    .prepare(`due_${purpose}`);
};

export type DueOrder = Awaited<ReturnType<ReturnType<typeof createQuery>["execute"]>>[number];

const FIRST = { at: -1, id: "" };

/**
 * Makes the search for orders in need of a call, of which none is on its way for the same purpose.
 * @param refusals those that it leaves out: however many they are, the others are found
 * @returns finds them in pages
 */
export function createDueOrders(
  context: Pick<Context, "reads" | "deployment" | "guard">,
  purpose: TransactionPurpose,
  due: Due,
  refusals: Refusals,
): () => AsyncGenerator<DueOrder[]> {
  const query = createQuery(context, purpose, due);
  let start = FIRST;
  return async function* find() {
    let after = start;
    start = FIRST;
    const refused = refusals.excluded();
    for (let page = 0; page < PAGES; page++) {
      const orders = await query.execute({ refused, ...after });
      const last = orders.at(-1);
      if (last) {
        await context.guard(last.witness);
        yield orders;
        after = { at: last.at, id: last.orderId };
      }
      if (orders.length < PAGE) return;
    }
    start = after;
  };
}

type OrderCall = {
  purpose: TransactionPurpose;
  /** Takes the terms, and what `more` says. */
  functionName: string;
  more?: (order: DueOrder) => Promise<readonly unknown[]>;
  due: Due;
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
  const { relayer, log } = context;
  const refusals = new Refusals();
  const find = createDueOrders(context, purpose, due, refusals);

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
    for await (const orders of find()) {
      for (const order of orders) await act(order);
    }
  };
}
