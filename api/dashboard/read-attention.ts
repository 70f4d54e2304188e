// What needs the merchant's attention. Each list is read through an index of what is due or open, with a bounded number
// of rows, so it costs the same however many payments there were.
import { sql } from "drizzle-orm";
import { ORDER_STATUSES } from "#core/chain/terms.ts";
import type { Database } from "#core/db/client.ts";
import type { Mode } from "#core/db/schema/gateway.ts";
import { type Currency, formatAmount } from "#core/money.ts";

/** Per kind. */
const MOST = 6;
/** A reclaim is shown this many seconds before it becomes possible. */
const RECLAIM_NOTICE = 3 * 86_400;
/**
 * Deadlines follow the order of payments unless delivery periods differ, so the payments that have been in escrow
 * longest are read.
 */
const LONGEST_IN_ESCROW = 200;
const ENDPOINTS = 20;
/** Of an endpoint's pending deliveries, those that are due last, as failed ones are. */
const DELIVERIES = 100;

const orderStatus = (name: (typeof ORDER_STATUSES)[number]): number => ORDER_STATUSES.indexOf(name);

export type Scope = { merchantId: string; mode: Mode; deploymentId: string };

type PaymentRow = { id: string; amount: string; currency: Currency; description: string | null };

/** `due`: Unix seconds. */
export type Attention = {
  disputes: (PaymentRow & { due: number })[];
  /** `failure`: why the payout failed; null if the payment itself needs something, such as another signature. */
  failures: (PaymentRow & { failure: string | null })[];
  reclaims: (PaymentRow & { due: number })[];
  /** `disabled`: nothing is delivered any more. */
  endpoints: { id: string; url: string; disabled: boolean }[];
};

const shown = <Row extends PaymentRow>(row: Row): Row => ({
  ...row,
  amount: formatAmount(BigInt(row.amount), row.currency),
});

async function findDisputes(database: Database, { merchantId, mode, deploymentId }: Scope) {
  const { rows } = await database.execute<Attention["disputes"][number]>(sql`
    select i.id, i.amount::text, i.currency, i.description, o.dispute_deadline::float8 as due
    from gateway.work_item w
    join chain."order" o on o.id = w.order_id and o.status = ${orderStatus("Disputed")}
    join gateway.intent i on i.order_id = w.order_id and i.merchant_id = w.merchant_id
    where w.merchant_id = ${merchantId} and w.purpose = 'resolve_expired_dispute'
      and w.deployment_id = ${deploymentId} and i.mode = ${mode}
    order by w.due limit ${MOST}`);
  return rows.map(shown);
}

async function findFailures(database: Database, { merchantId, mode }: Scope) {
  const { rows } = await database.execute<Attention["failures"][number]>(sql`
    select i.id, i.amount::text, i.currency, i.description, p.failure from (
      select id, merchant_id, amount, currency, description, created_at from gateway.intent
      where merchant_id = ${merchantId} and mode = ${mode} and last_emitted_status = 'REQUIRES_ACTION'
      order by created_at desc, id desc limit ${MOST}) i
    left join lateral (
      select p.failure from gateway.payout p
      where p.intent_id = i.id and p.merchant_id = i.merchant_id and p.state in ('failed', 'returned')
      order by p.created_at desc limit 1) p on true
    order by i.created_at desc`);
  return rows.map(shown);
}

/** @param now Unix seconds, from the indexed head */
async function findReclaims(database: Database, { merchantId, mode }: Scope, now: number) {
  const held = sql.join(
    (["Created", "Shipped", "Delivered"] as const).map((name) => sql`${orderStatus(name)}`),
    sql`, `,
  );
  const { rows } = await database.execute<Attention["reclaims"][number]>(sql`
    select i.id, i.amount::text, i.currency, i.description, o.delivery_deadline::float8 as due from (
      select id, order_id, amount, currency, description from gateway.intent
      where merchant_id = ${merchantId} and mode = ${mode} and last_emitted_status = 'SUCCEEDED'
      order by created_at, id limit ${LONGEST_IN_ESCROW}) i
    join chain."order" o on o.id = i.order_id
    where o.status in (${held}) and not o.proven and o.delivery_deadline < ${now + RECLAIM_NOTICE}
    order by o.delivery_deadline limit ${MOST}`);
  return rows.map(shown);
}

async function findFailingEndpoints(database: Database, { merchantId, mode }: Scope) {
  const { rows } = await database.execute<Attention["endpoints"][number]>(sql`
    select e.id, e.url, e.status = 'disabled' as disabled from (
      select id, merchant_id, url, status, disabled_reason from gateway.webhook_endpoint
      where merchant_id = ${merchantId} and mode = ${mode} order by created_at limit ${ENDPOINTS}) e
    where e.disabled_reason = 'gone' or e.status = 'enabled' and exists (
      select from (
        select attempts from gateway.webhook_delivery d
        where d.endpoint_id = e.id and d.merchant_id = e.merchant_id and d.next_attempt_at is not null
        order by d.next_attempt_at desc limit ${DELIVERIES}) d
      where d.attempts > 0)
    limit ${MOST}`);
  return rows;
}

export async function readAttention(database: Database, scope: Scope, now: number): Promise<Attention> {
  const [disputes, failures, reclaims, endpoints] = await Promise.all([
    findDisputes(database, scope),
    findFailures(database, scope),
    findReclaims(database, scope, now),
    findFailingEndpoints(database, scope),
  ]);
  return { disputes, failures, reclaims, endpoints };
}
