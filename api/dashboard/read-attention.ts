// Reads what needs the merchant's attention. Each list is read through an index of due or open rows, with a
// bounded number of rows, so the cost does not depend on the total number of payments.
import { eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { OPEN_STATUSES } from "#core/chain/terms.ts";
import { idText, intentIdText } from "#core/db/as-text.ts";
import * as chain from "#core/db/chain.ts";
import type { Database } from "#core/db/client.ts";
import { hasStatus } from "#core/db/order-statuses.ts";
import { intent } from "#core/db/schema/intents.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { webhookDelivery, webhookEndpoint } from "#core/db/schema/webhooks.ts";
import { workItem } from "#core/db/schema/work.ts";
import type { IntentStatus } from "#core/model/intent-status.ts";
import { MERCHANT_STATUSES_OF } from "#core/model/merchant-status.ts";
import type { Mode } from "#core/model/mode.ts";
import { type Currency, formatAmount } from "#core/money.ts";
import { selectByStatus } from "../lists/by-status.ts";

/** Maximum number of entries per list. */
const MOST = 6;
/** Reclaims are shown this many seconds before they become possible. */
const RECLAIM_NOTICE = 3 * 86_400;
/**
 * Maximum number of payments that are checked for reclaims. The payments that have been in escrow longest are
 * read, because their deadlines usually pass first, unless delivery periods differ.
 */
const LONGEST_IN_ESCROW = 200;
const ENDPOINTS = 20;
/**
 * Maximum number of pending deliveries per endpoint that are read. Those that are due last are read, because
 * retries of failed deliveries are due later than new deliveries.
 */
const DELIVERIES = 100;

export type Scope = { merchantId: string; mode: Mode; deploymentId: number };

type PaymentRow = { id: string; amount: string; currency: Currency; description: string | null };

/** All `due` fields are in Unix seconds. */
export type Attention = {
  disputes: (PaymentRow & { due: number })[];
  /**
   * `failure` is the reason why the payout failed, or null if the payment itself needs an action, such as
   * another signature.
   */
  failures: (PaymentRow & { failure: string | null })[];
  reclaims: (PaymentRow & { due: number })[];
  /** `disabled` means that the endpoint no longer receives deliveries. */
  endpoints: { id: string; url: string; disabled: boolean }[];
};

const shown = <Row extends PaymentRow>(row: Row): Row => ({
  ...row,
  amount: formatAmount(BigInt(row.amount), row.currency),
});

const [i, o, p, w] = [alias(intent, "i"), alias(chain.order, "o"), alias(payout, "p"), alias(workItem, "w")];
const [d, e] = [alias(webhookDelivery, "d"), alias(webhookEndpoint, "e")];

/** The merchant's intents whose last event has this status, as rows with `intent_id` and `created_at`. */
const withStatus = (
  database: Database,
  scope: Scope,
  status: IntentStatus,
  first: "newest" | "oldest",
  limit: number,
) =>
  selectByStatus(
    database,
    scope,
    MERCHANT_STATUSES_OF[status].map((merchantStatus) => ({ status, merchantStatus })),
    { isBackward: first === "oldest", place: undefined, each: limit, limit },
  );

const payment = sql`${intentIdText(i.id)} as id, ${i.amount}::text, ${i.currency}, ${i.description}`;

async function findDisputes(database: Database, { merchantId, mode, deploymentId }: Scope) {
  const { rows } = await database.execute<Attention["disputes"][number]>(sql`
    select ${payment}, ${o.disputeDeadline}::float8 as due
    from ${workItem} w
    join ${chain.order} o on ${o.id} = ${w.orderId} and ${hasStatus(o.status, "Disputed")}
    join ${intent} i on ${i.id} = ${w.orderId} and ${i.merchantId} = ${w.merchantId}
    where ${eq(w.merchantId, merchantId)} and ${w.purpose} = 'resolve_expired_dispute'
      and ${w.deploymentId} = ${deploymentId} and ${i.mode} = ${mode}
    order by ${w.due} limit ${MOST}`);
  return rows.map(shown);
}

async function findFailures(database: Database, scope: Scope) {
  const { rows } = await database.execute<Attention["failures"][number]>(sql`
    select ${payment}, ${p.failure}
    from ${withStatus(database, scope, "REQUIRES_ACTION", "newest", MOST)} s
    join ${intent} i on ${i.id} = s.intent_id and ${eq(i.merchantId, scope.merchantId)}
    left join lateral (
      select ${p.failure} from ${payout} p
      where ${p.intentId} = ${i.id} and ${p.merchantId} = ${i.merchantId} and ${p.state} in ('failed', 'returned')
      order by ${p.createdAt} desc limit 1) p on true
    order by ${i.createdAt} desc`);
  return rows.map(shown);
}

/** @param now Unix seconds, from the indexed head */
async function findReclaims(database: Database, scope: Scope, now: number) {
  const { rows } = await database.execute<Attention["reclaims"][number]>(sql`
    select ${payment}, ${o.deliveryDeadline}::float8 as due
    from ${withStatus(database, scope, "SUCCEEDED", "oldest", LONGEST_IN_ESCROW)} s
    join ${intent} i on ${i.id} = s.intent_id and ${eq(i.merchantId, scope.merchantId)}
    join ${chain.order} o on ${o.id} = ${i.id}
    where ${hasStatus(o.status, ...OPEN_STATUSES)} and not ${o.proven} and ${o.deliveryDeadline} < ${now + RECLAIM_NOTICE}
    order by ${o.deliveryDeadline} limit ${MOST}`);
  return rows.map(shown);
}

async function findFailingEndpoints(database: Database, { merchantId, mode }: Scope) {
  const { rows } = await database.execute<Attention["endpoints"][number]>(sql`
    select ${idText("we", e.id)} as id, ${e.url}, ${e.status} = 'disabled' as disabled from (
      select ${e.id}, ${e.merchantId}, ${e.url}, ${e.status}, ${e.disabledReason} from ${webhookEndpoint} e
      where ${eq(e.merchantId, merchantId)} and ${e.mode} = ${mode} order by ${e.createdAt} limit ${ENDPOINTS}) e
    where ${e.disabledReason} = 'gone' or ${e.status} = 'enabled' and exists (
      select from (
        select ${d.attempts} from ${webhookDelivery} d
        where ${d.endpointId} = ${e.id} and ${d.merchantId} = ${e.merchantId} and ${d.nextAttemptAt} is not null
        order by ${d.nextAttemptAt} desc limit ${DELIVERIES}) d
      where ${d.attempts} > 0)
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
