// Sends contract calls from the service's own account for orders that require them. An order has at most one pending
// call per purpose, and a call that did not help is repeated with backoff.
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import * as chain from "#core/db/chain.ts";
import { type TransactionPurpose, transaction, transactionOrder } from "#core/db/schema/transactions.ts";
import type { OrderId } from "#core/ids.ts";
import { indexedBlock } from "#core/indexer-state/indexer-snapshot.ts";
import type { PreparedCall } from "#core/relayer/relayer.ts";
import type { Context } from "../runtime/context.ts";

const FIRST_RETRY = sql.raw("interval '5 seconds'");
const LAST_RETRY = sql.raw("interval '1 hour'");

/** Number of transactions that an order (`chain.order`) has had for a purpose, with any outcome. */
export const transactionsSoFar = (purpose: TransactionPurpose): SQL<number> => sql<number>`(
  select count(*)::int from ${transactionOrder}
  where ${transactionOrder.orderId} = ${chain.order.id} and ${transactionOrder.purpose} = ${purpose})`;

/** A batch may succeed without settling this order (contracts/IDeliveryVsPayment.sol, SettlementSkipped). */
const didNotHelp = sql`(${chain.settlement.orderId} is null
  and (${transactionOrder.purpose} = 'settle' or ${transaction.succeeded} is not true))`;

/** The order's transactions for a purpose, each with the settlement that it caused. */
const transactionsFor = (purpose: TransactionPurpose): SQL => sql`
  from ${transactionOrder}
  join ${transaction} on ${transaction.id} = ${transactionOrder.transactionId}
  left join ${chain.settlement} on ${chain.settlement.orderId} = ${transactionOrder.orderId}
    and ${chain.settlement.txHash} = ${transaction.minedHash}
  where ${transactionOrder.orderId} = ${chain.order.id} and ${transactionOrder.purpose} = ${purpose}`;

/** Number of the order's transactions for a purpose that did not help, including pending ones. */
export const unhelpfulSoFar = (purpose: TransactionPurpose): SQL<number> => sql<number>`(
  select (count(*) filter (where ${didNotHelp}))::int ${transactionsFor(purpose)})`;

/**
 * Whether a transaction for this purpose may be sent: none is pending for the order (unresolved, or final in a block
 * that is not indexed yet), and the backoff after the last unhelpful one has passed.
 */
export const canRelay = (purpose: TransactionPurpose): SQL<boolean> => sql`(
  select coalesce(
    bool_and(${transaction.state} not in ('pending', 'mined') and coalesce(${transaction.blockNumber}, 0) <= ${indexedBlock})
    and coalesce(
      max(${transaction.updatedAt}) filter (where ${didNotHelp}) + least(
        ${LAST_RETRY}, ${FIRST_RETRY} * power(2, least(count(*) filter (where ${didNotHelp}), 16) - 1)) <= clock_timestamp(),
      true),
    true) ${transactionsFor(purpose)})`;

/** Orders to act on, with the number of transactions that each had when it was chosen. */
export type Chosen = ReadonlyMap<OrderId, number>;

/**
 * Stores and broadcasts a call, unless another replica has acted on one of its orders since they were chosen.
 * @returns whether the call was made
 */
export async function relay(
  { database, relayer, log }: Pick<Context, "database" | "relayer" | "log">,
  call: PreparedCall,
  chosen: Chosen,
): Promise<boolean> {
  const attempt = await database.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`relay.${call.purpose}`}, 0))`);
    const known = await tx
      .select({ orderId: transactionOrder.orderId, count: sql<number>`count(*)::int` })
      .from(transactionOrder)
      .where(
        and(inArray(transactionOrder.orderId, call.orderIds), eq(transactionOrder.purpose, call.purpose)),
      )
      .groupBy(transactionOrder.orderId);
    const counts = new Map(known.map((row) => [row.orderId, row.count]));
    if (call.orderIds.some((id) => (counts.get(id) ?? 0) !== (chosen.get(id) ?? 0))) return undefined;
    return relayer.store(tx, call);
  });
  if (!attempt) return false;
  log.info(
    { purpose: call.purpose, orders: call.orderIds, hash: attempt.hash, nonce: attempt.nonce },
    "transaction stored",
  );
  await relayer.broadcast(attempt);
  return true;
}
