// Read-only lists for operators, without bank details or secrets.
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";

export type Row = Record<string, string | number | null>;

const read = async (database: Database, query: SQL): Promise<Row[]> =>
  (await database.execute<Row>(query)).rows;

/** Oldest first, because a waiting transaction blocks all later nonces. */
export const stuckTransactions = (database: Database, olderSeconds: number): Promise<Row[]> =>
  read(
    database,
    sql`select t.id, t.purpose, t.state, t.nonce, floor(extract(epoch from now() - t.created_at))::int as age,
      (select count(*)::int from gateway.transaction_attempt a where a.transaction_id = t.id) as attempts,
      (select a.hash from gateway.transaction_attempt a where a.transaction_id = t.id
        order by a.created_at desc limit 1) as hash
    from gateway.transaction t join gateway.deployment d on d.id = t.deployment_id and d.current
    where t.state in ('pending', 'mined') and t.created_at < now() - ${olderSeconds} * interval '1 second'
    order by t.nonce`,
  );

/** The provider was called and has made no transfer: the log of the worker that called says why. */
const DECLINED = sql`case when p.state = 'created' and p.declined_calls > 0
  then p.declined_calls || ' calls declined by the provider' end`;

export const deadPayouts = (database: Database): Promise<Row[]> =>
  read(
    database,
    sql`select p.id, p.intent_id as intent, p.state, p.attempt, p.method, p.account, coalesce(p.failure, ${DECLINED}) as failure, p.blocked,
      p.updated_at::text as since
    from gateway.payout p where (p.state in ('failed', 'returned', 'quarantined')
      or p.state = 'created' and p.declined_calls > 0
      or p.blocked is not null and p.next_attempt_at is not null) and not exists (
      select from gateway.payout later where later.intent_id = p.intent_id and later.settlement_id = p.settlement_id
        and later.part = p.part and later.attempt > p.attempt)
    order by p.updated_at`,
  );

export const deadDeliveries = (database: Database): Promise<Row[]> =>
  read(
    database,
    sql`select d.id, d.endpoint_id as endpoint, d.event_id as event, d.attempts, d.created_at::text as since
    from gateway.webhook_delivery d where d.status = 'failed' order by d.created_at`,
  );

/** Work for orders whose latest attempt was rejected or failed. `state`: `dead` is no longer retried. */
export const refusedWork = (database: Database): Promise<Row[]> =>
  read(
    database,
    sql`select i.id as intent, w.purpose, case w.clock when 'dead' then 'dead' else 'retrying' end as state, w.attempts,
      w.last_error as reason, w.created_at::text as since
    from gateway.work_item w join gateway.deployment d on d.id = w.deployment_id and d.current
    join gateway.intent i on i.order_id = w.order_id
    where w.attempts > 0 order by w.clock = 'dead' desc, w.created_at`,
  );

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

/** The history of a payment: its transactions, payouts, events and all other audit log entries. */
export const loadTrail = (database: Database, intentId: string): Promise<Row[]> =>
  read(
    database,
    sql`select to_char(at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') as at, what, id, detail from (
      select i.created_at as at, 'created' as what, i.id, concat_ws(' ', i.type, i.currency, i.amount) as detail
        from gateway.intent i where i.id = ${intentId}
      union all
      select t.created_at, 'transaction ' || t.purpose, t.id, concat_ws(' ', 'nonce', t.nonce, t.state,
          case when t.succeeded is false then 'reverted' end, t.mined_hash, 'network fee ' || t.network_fee || ' wei')
        from gateway.transaction t join gateway.transaction_order o on o.transaction_id = t.id
        join gateway.intent i on i.order_id = o.order_id where i.id = ${intentId}
      union all
      select p.created_at, 'payout', p.id, concat_ws(' ', 'attempt', p.attempt, p.state, p.amount, p.account, p.failure, ${DECLINED},
          'blocked: ' || p.blocked)
        from gateway.payout p where p.intent_id = ${intentId}
      union all
      select e.created_at, 'event ' || e.type, e.id, concat_ws(' to ', e.from_status, e.to_status)
        from gateway.event e where e.intent_id = ${intentId}
      union all
      select a.created_at, 'audit ' || a.action, a.id, concat_ws(' ', 'by', a.actor_type, a.actor)
        from gateway.audit_log a where a.intent_id = ${intentId}
      union all
      select d.created_at, 'webhook', d.id, concat_ws(' ', d.status, d.attempts, 'attempts')
        from gateway.webhook_delivery d where d.intent_id = ${intentId}) trail
    order by trail.at, what, id`,
  );

/**
 * Gas paid by the gateway, by purpose. `posted`: the part in the ledger; the rest belongs to no payment, or is not
 * final.
 */
export const networkFees = (database: Database, days: number): Promise<Row[]> =>
  read(
    database,
    sql`with paid as (
      select t.purpose, t.network_fee as fee, (
        select sum(case when b.reversed then -b.amount else b.amount end) from gateway.ledger_posting b
        where b.deployment_id = t.deployment_id and b.kind = 'network_fee' and b.tx_hash = t.mined_hash) as posted
      from gateway.transaction t join gateway.deployment d on d.id = t.deployment_id and d.current
      where t.network_fee is not null and t.created_at > now() - ${days} * interval '1 day')
    select purpose, count(*)::int as transactions, trim_scale(sum(fee) / power(10::numeric, 18))::text as fees,
      trim_scale(coalesce(sum(posted), 0) / power(10::numeric, 18))::text as posted,
      trim_scale(round(avg(fee) / power(10::numeric, 18), 18))::text as average
    from paid group by 1 order by sum(fee) desc`,
  );
