// Reads the current state of orders that may require a contract call, and makes one call for each order that does.
import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import { backoffMs } from "#core/backoff.ts";
import { RELEASE_TYPES, type ReleaseType, restoreTerms } from "#core/chain/terms.ts";
import * as chain from "#core/db/chain.ts";
import { isAmong } from "#core/db/is-among.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { intent, intentOrderId } from "#core/db/schema/intents.ts";
import type { TransactionPurpose } from "#core/db/schema/transactions.ts";
import { workItem } from "#core/db/schema/work.ts";
import { ServiceError } from "#core/errors.ts";
import type { Head } from "#core/indexer-state/guard.ts";
import {
  indexedBlock,
  indexedTime,
  indexerSnapshotFields,
  joinIndexerSnapshot,
} from "#core/indexer-state/indexer-snapshot.ts";
import { describe } from "#core/log.ts";
import { suggestFees } from "#core/relayer/fees.ts";
import type { PreparedCall, Relayer } from "#core/relayer/relayer.ts";
import { NotSigned } from "#core/relayer/signer.ts";
import type { Context } from "../runtime/context.ts";
import { MOST_UNANSWERED, Unanswered } from "../runtime/unanswered.ts";
import { nextBlock, type Outcome, type Refusal, type WorkItem } from "../runtime/work-items.ts";
import { collectOutcomes, type WorkHandler } from "../runtime/work-loop.ts";
import { type Chosen, canRelay, relay, transactionsSoFar, unhelpfulSoFar } from "./relay.ts";

/** Maximum number of calls that the signer denies in a run before it signs one. It may be locked. */
const MOST_DENIED = 10;
/** Maximum number of orders of each kind that a claim counts separately: each call costs a simulation. */
const CALLS_AT_ONCE = 50;
/** Delay before a pending transaction is checked again; it grows with each transaction that did not help. */
const FIRST_CHECK_MS = 2_500;
const LAST_CHECK_MS = 1_800_000;

const rotate = <Item>(items: readonly Item[], by: number): Item[] => {
  const first = by % Math.max(1, items.length);
  return [...items.slice(first), ...items.slice(0, first)];
};

export const releaseType = (name: ReleaseType): SQL => sql.raw(String(RELEASE_TYPES.indexOf(name)));

/** Whether an order's funding is confirmed (spec: 5 or more confirmations). */
export const isConfirmed = ({ config }: Pick<Context, "config">): SQL<boolean> =>
  sql`${indexedBlock} - ${chain.order.createdBlock} + 1 >= ${config.chain.confirmations}`;

/** Whether our relayer is the order's operator, so that the contract accepts its calls. */
export const isOperatedBy = ({ relayer }: Pick<Context, "relayer">): SQL =>
  eq(chain.order.operator, relayer.account.address);

/**
 * Whether the payment is not final. A payment that was last seen as canceled may have been funded since, or a reorg may
 * have removed its refund: the order's state decides which calls are due.
 */
export const isNotFinal = sql`${intent.lastEmittedStatus} <> 'FINAL'`;

/** Matches the intents of the query's deployment whose order ids are in the placeholder `ids`. */
export const isAmongIds = and(
  isAmong(intent.id, sql.placeholder("ids"), workItem.orderId),
  eq(intent.deploymentId, deployment.id),
);

/**
 * Creates a reader that selects the orders for which a call is required.
 * @param where the condition on the order's current state, in addition to the confirmation of the funding
 * @returns a function that reads the orders, those without failed attempts first, and of the others different ones
 * in each run; it throws while the indexer is not current, even if no call is required
 */
export function createOrderReading(
  context: Pick<Context, "reads" | "deployment" | "guard" | "config">,
  purpose: TransactionPurpose,
  where: SQL | undefined,
  name: string = purpose,
) {
  // `due` is a column, not a filter, so that the query returns the snapshot even if no order is due.
  const query = joinIndexerSnapshot(
    context.reads
      .select({
        intentId: intent.id,
        orderId: intentOrderId,
        terms: intent.terms,
        currency: intent.currency,
        settlementMethod: intent.settlementMethod,
        settlementDestination: intent.settlementDestination,
        released: chain.order.released,
        settled: chain.order.settled,
        withdrawn: chain.order.withdrawn,
        emittedStatus: intent.lastEmittedStatus,
        /** Seconds since the order last changed, by the chain's clock. */
        age: sql<number>`(${indexedTime} - ${chain.order.updatedAt})::int`,
        transactions: transactionsSoFar(purpose),
        unhelpful: unhelpfulSoFar(purpose),
        due: sql<boolean>`coalesce(${and(isNotNull(chain.order.id), where)}, false)`,
        confirmed: isConfirmed(context),
        /**
         * Whether no transaction for the same purpose is pending, and the backoff after the last unhelpful one has
         * passed.
         */
        free: canRelay(purpose),
        snapshot: indexerSnapshotFields,
      })
      .from(deployment)
      .leftJoin(intent, isAmongIds)
      .leftJoin(chain.order, eq(chain.order.id, intent.id))
      .$dynamic(),
  )
    .where(and(eq(deployment.id, context.deployment.id), deployment.current))
    .prepare(`orders_${name}`);
  let turn = 0;
  return async (items: readonly WorkItem[]) => {
    const rows = await query.execute({ ids: items.map(({ orderId }) => orderId) });
    const [first] = rows;
    if (!first) throw new Error("The deployment is not in the database.");
    await context.guard(first.snapshot);
    type Row = (typeof rows)[number];
    // A due order has an intent.
    const due = rows.filter((row) => row.due) as { [Name in keyof Row]: NonNullable<Row[Name]> }[];
    const attempts = new Map(items.map((item) => [item.orderId, item.attempts]));
    const orders = due.map((order) => ({ ...order, attempts: attempts.get(order.orderId) ?? 0 }));
    return [
      ...orders.filter((order) => order.attempts === 0),
      ...rotate(
        orders.filter((order) => order.attempts > 0).toSorted((a, b) => a.orderId.localeCompare(b.orderId)),
        MOST_UNANSWERED * turn++,
      ),
    ];
  };
}

export type DueOrder = Awaited<ReturnType<ReturnType<typeof createOrderReading>>>[number];

/**
 * Schedules the next read of an order whose call is pending, or did not help and has to wait.
 * @param unhelpful number of transactions that have not helped, including a pending one
 */
export const checkLater = (unhelpful: number): Outcome => ({
  delayMs: backoffMs(FIRST_CHECK_MS, LAST_CHECK_MS, Math.max(0, unhelpful - 1)),
});

/**
 * Creates a function that makes the calls of one run.
 * @returns a function that returns undefined, or the reason why the call cannot be made: the contract would revert it,
 * the signer does not sign it, or the node or the signer responds, but not to this call. It throws a ServiceError if one
 * of them does not respond at all, or if the signer denies many calls and signs none.
 */
export function createCaller(
  context: Pick<Context, "database" | "relayer" | "log">,
  purpose: TransactionPurpose,
) {
  const { relayer, log } = context;
  const { client, account } = relayer;
  // What every call requires (core/relayer/relayer.ts, prepare).
  const unanswered = new Unanswered(() =>
    Promise.all([
      suggestFees(client),
      client.getTransactionCount({ address: account.address, blockTag: "pending" }),
    ]),
  );
  const unsigned = new Unanswered(() => account.checkResponding());
  let denied = 0;
  let hasSigned = false;

  async function act(
    group: string,
    chosen: Chosen,
    call: Parameters<Relayer["prepare"]>[2],
  ): Promise<Refusal | undefined> {
    let prepared: PreparedCall;
    try {
      prepared = await relayer.prepare(purpose, [...chosen.keys()], call);
    } catch (error) {
      return error instanceof ServiceError
        ? unanswered.refuse(group, "The node did not answer this call.", error)
        : { refused: describe(error) };
    }
    try {
      hasSigned = (await relay(context, prepared, chosen)) || hasSigned;
      return undefined;
    } catch (error) {
      if (!(error instanceof NotSigned)) throw error;
      if (!error.answered)
        return unsigned.refuse(group, "The operator's signer did not answer this call.", error);
      if (!hasSigned && ++denied > MOST_DENIED) throw error;
      return { refused: describe(error) };
    }
  }

  return async (...[group, chosen, call]: Parameters<typeof act>): Promise<Refusal | undefined> => {
    if (unanswered.isFull(group)) {
      return { refused: "The node did not answer the calls of other orders.", untried: true };
    }
    if (unsigned.isFull(group)) {
      return { refused: "The operator's signer did not answer the calls of other orders.", untried: true };
    }
    const refusal = await act(group, chosen, call);
    if (refusal) log.warn({ orders: [...chosen.keys()], purpose, cause: refusal.refused }, "call not made");
    return refusal;
  };
}

type OrderCall = {
  purpose: TransactionPurpose;
  /** Its arguments are the order's terms, followed by the values that `more` returns. */
  functionName: string;
  more?: (order: DueOrder) => Promise<readonly unknown[]>;
  where: SQL | undefined;
};

/**
 * Creates a handler that calls the contract once for each order. A call that would revert is not an error: for example,
 * someone else may have been faster. The indexer will report that, and until then the order is retried with backoff.
 */
export function createOrderCallHandler(
  context: Context,
  { purpose, functionName, more = async () => [], where }: OrderCall,
): WorkHandler {
  const read = createOrderReading(context, purpose, where);

  async function act(order: DueOrder, head: Head, call: ReturnType<typeof createCaller>): Promise<Outcome> {
    if (!order.confirmed) return nextBlock(head);
    if (!order.free) return checkLater(order.unhelpful);
    const { orderId, terms, transactions, unhelpful } = order;
    const args = [restoreTerms(terms), ...(await more(order))];
    const refusal = await call(terms.token, new Map([[orderId, transactions]]), { functionName, args });
    return refusal ?? checkLater(unhelpful + 1);
  }

  return {
    atOnce: CALLS_AT_ONCE,
    handle: (items, head) =>
      collectOutcomes(async (outcomes) => {
        const call = createCaller(context, purpose);
        for (const order of await read(items)) outcomes.set(order.orderId, await act(order, head, call));
      }),
  };
}
