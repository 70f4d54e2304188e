// Read-only lists for operators, without bank details or secrets.
import { and, desc, eq, gt, inArray, isNotNull, not, or, type SQL, sql } from "drizzle-orm";
import { hexText, idText, intentIdText } from "#core/db/as-text.ts";
import type { Database } from "#core/db/client.ts";
import { auditLog } from "#core/db/schema/audit-log.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { event } from "#core/db/schema/events.ts";
import { intent } from "#core/db/schema/intents.ts";
import { ledgerPosting } from "#core/db/schema/ledger.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { transaction, transactionAttempt, transactionOrder } from "#core/db/schema/transactions.ts";
import { webhookDelivery } from "#core/db/schema/webhooks.ts";
import { workItem } from "#core/db/schema/work.ts";
import { isCurrent } from "#core/deployment/is-current.ts";
import type { IntentId } from "#core/ids.ts";
import { formatAmount } from "#core/money.ts";
import { hasLaterAttempt } from "#core/payouts/later-attempt.ts";
import { isUnresolved } from "#settlement/escrow/resolve-transactions.ts";
import { IS_OPEN } from "#settlement/payouts/wallets.ts";

export type Row = Record<string, string | number | null>;

const read = async (database: Database, query: SQL): Promise<Row[]> =>
  (await database.execute<Row>(query)).rows;

/** Returns the oldest first, because a waiting transaction blocks all later nonces. */
export function stuckTransactions(database: Database, olderSeconds: number): Promise<Row[]> {
  const { id, purpose, state, nonce, createdAt, deploymentId } = transaction;
  const { hash, transactionId, createdAt: signedAt } = transactionAttempt;
  const age = sql<number>`floor(extract(epoch from now() - ${createdAt}))::int`;
  return database
    .select({
      ...{ id, purpose, state, nonce, age },
      attempts: database.$count(transactionAttempt, eq(transactionId, id)),
      hash: sql`(select ${hash} from ${transactionAttempt} where ${transactionId} = ${id}
        order by ${signedAt} desc limit 1)`.mapWith(hash),
    })
    .from(transaction)
    .innerJoin(deployment, isCurrent(deploymentId))
    .where(and(isUnresolved, sql`${createdAt} < now() - ${olderSeconds} * interval '1 second'`))
    .orderBy(nonce);
}

/** The provider declined calls and made no transfer; the log of the worker that sent them contains the reason. */
const DECLINED = sql`case when ${payout.state} = 'created' and ${payout.declinedCalls} > 0
  then ${payout.declinedCalls} || ' calls declined by the provider' end`;

export function deadPayouts(database: Database): Promise<Row[]> {
  const { id, intentId, state, attempt, method, account, blocked, updatedAt } = payout;
  const failure = sql<string | null>`coalesce(${payout.failure}, ${DECLINED})`;
  return database
    .select({
      ...{ id, intent: intentId, state, attempt, method, account, failure, blocked },
      since: sql<string>`${updatedAt}::text`,
    })
    .from(payout)
    .where(
      and(
        or(
          inArray(state, ["failed", "returned", "quarantined"]),
          and(eq(state, "created"), gt(payout.declinedCalls, 0)),
          and(isNotNull(blocked), isNotNull(payout.nextAttemptAt)),
        ),
        not(hasLaterAttempt),
      ),
    )
    .orderBy(updatedAt);
}

/** Age at which a missing debit is listed. Until then, it is normal. */
const NOT_DEBITED_MINUTES = 10;

/**
 * Since when a payout's funds are not available to others. Each call sets the time of the latest call, but a payout
 * with an unknown outcome keeps its funds from call to call.
 */
const HOLDS_FUNDS_SINCE = sql`case ${payout.state} when 'quarantined' then least(${payout.calledAt}, ${payout.updatedAt})
  else ${payout.calledAt} end`;

/**
 * Returns payouts whose funds no other payout can use, because the provider has not debited the wallet, as far as it
 * reports, or has not responded to their call; oldest first.
 */
export async function payoutsNotDebited(database: Database): Promise<Row[]> {
  const { id, intentId, state, account, wallet, providerId, amount, currency } = payout;
  const rows = await database
    .select({
      ...{ id, intent: intentId, state, account, wallet, transfer: providerId, amount, currency },
      since: sql<string>`(${HOLDS_FUNDS_SINCE})::text`,
    })
    .from(payout)
    .where(
      and(
        IS_OPEN,
        or(payout.awaitsFunds, payout.allocated),
        sql`${HOLDS_FUNDS_SINCE} < now() - ${NOT_DEBITED_MINUTES} * interval '1 minute'`,
      ),
    )
    .orderBy(HOLDS_FUNDS_SINCE);
  return rows.map((row) => ({ ...row, amount: formatAmount(row.amount, row.currency) }));
}

export function deadDeliveries(database: Database): Promise<Row[]> {
  const { id, endpointId, eventId, attempts, createdAt } = webhookDelivery;
  return database
    .select({
      ...{ id, endpoint: endpointId, event: eventId, attempts },
      since: sql<string>`${createdAt}::text`,
    })
    .from(webhookDelivery)
    .where(eq(webhookDelivery.status, "failed"))
    .orderBy(createdAt);
}

/** Work for orders whose latest attempt was rejected or failed. Work in the state `dead` is no longer retried. */
export function refusedWork(database: Database): Promise<Row[]> {
  const { purpose, clock, attempts, lastError: reason, createdAt } = workItem;
  const state = sql<string>`case ${clock} when 'dead' then 'dead' else 'retrying' end`;
  return database
    .select({ intent: intent.id, purpose, state, attempts, reason, since: sql<string>`${createdAt}::text` })
    .from(workItem)
    .innerJoin(deployment, isCurrent(workItem.deploymentId))
    .innerJoin(intent, eq(intent.id, workItem.orderId))
    .where(gt(attempts, 0))
    .orderBy(desc(eq(clock, "dead")), createdAt);
}

/** A failed job loses nothing, because its work is still due; it shows that a worker hit an unexpected error. */
export async function failedJobs(database: Database): Promise<Row[]> {
  const [queue] = await read(database, sql`select to_regclass('pgboss.job')::text as job`);
  if (!queue?.job) return [];
  return read(
    database,
    sql`select id::text, name as queue, created_on::text as since,
      (select string_agg(one, ' ') from jsonb_array_elements_text(data -> 'payoutIds') one) as payouts
    from pgboss.job where state = 'failed' order by created_on`,
  );
}

/** Returns the history of a payment: its transactions, payouts, events and all other audit log entries. */
export const loadTrail = (database: Database, intentId: IntentId): Promise<Row[]> =>
  read(
    database,
    sql`select to_char(at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') as at, what, id, detail from (
      select ${intent.createdAt} as at, 'created' as what, ${intentIdText(intent.id)} as id,
          concat_ws(' ', ${intent.type}, ${intent.currency}, ${intent.amount}) as detail
        from ${intent} where ${eq(intent.id, intentId)}
      union all
      select ${transaction.createdAt}, 'transaction ' || ${transaction.purpose}, ${idText("tx", transaction.id)},
          concat_ws(' ', 'nonce', ${transaction.nonce}, ${transaction.state},
            case when ${transaction.succeeded} is false then 'reverted' end, ${hexText(transaction.minedHash)},
            'network fee ' || ${transaction.networkFee} || ' wei')
        from ${transaction} join ${transactionOrder} on ${transactionOrder.transactionId} = ${transaction.id}
        join ${intent} on ${intent.id} = ${transactionOrder.orderId} where ${eq(intent.id, intentId)}
      union all
      select ${payout.createdAt}, 'payout', ${idText("payout", payout.id)},
          concat_ws(' ', 'attempt', ${payout.attempt}, ${payout.state}, ${payout.amount}, ${payout.account}, ${payout.failure},
            ${DECLINED}, 'blocked: ' || ${payout.blocked})
        from ${payout} where ${eq(payout.intentId, intentId)}
      union all
      select ${event.createdAt}, 'event ' || ${event.type}, ${idText("evt", event.id)},
          concat_ws(' ', nullif(concat_ws(' to ', ${event.fromStatus}, ${event.toStatus}), ''), 'by',
            coalesce(${event.actorType}, 'system'), ${event.actor})
        from ${event} where ${eq(event.intentId, intentId)}
      union all
      select ${auditLog.createdAt}, 'audit ' || ${auditLog.action}, ${idText("audit", auditLog.id)},
          concat_ws(' ', 'by', ${auditLog.actorType}, ${auditLog.actor})
        from ${auditLog} where ${eq(auditLog.intentId, intentId)}
      union all
      select ${webhookDelivery.createdAt}, 'webhook', ${idText("delivery", webhookDelivery.id)},
          concat_ws(' ', ${webhookDelivery.status}, ${webhookDelivery.attempts}, 'attempts')
        from ${webhookDelivery} where ${eq(webhookDelivery.intentId, intentId)}) trail
    order by trail.at, what, id`,
  );

/**
 * Gas paid by the gateway, by purpose. `posted` is the part in the ledger; the rest belongs to no payment or is not
 * final.
 */
export const networkFees = (database: Database, days: number): Promise<Row[]> =>
  read(
    database,
    sql`with paid as (
      select ${transaction.purpose}, ${transaction.networkFee} as fee, (
        select sum(case when ${ledgerPosting.reversed} then -${ledgerPosting.amount} else ${ledgerPosting.amount} end)
        from ${ledgerPosting}
        where ${ledgerPosting.deploymentId} = ${transaction.deploymentId} and ${ledgerPosting.kind} = 'network_fee'
          and ${ledgerPosting.txHash} = ${transaction.minedHash}) as posted
      from ${transaction} join ${deployment} on ${isCurrent(transaction.deploymentId)}
      where ${transaction.networkFee} is not null and ${transaction.createdAt} > now() - ${days} * interval '1 day')
    select purpose, count(*)::int as transactions, trim_scale(sum(fee) / power(10::numeric, 18))::text as fees,
      trim_scale(coalesce(sum(posted), 0) / power(10::numeric, 18))::text as posted,
      trim_scale(round(avg(fee) / power(10::numeric, 18), 18))::text as average
    from paid group by 1 order by sum(fee) desc`,
  );
