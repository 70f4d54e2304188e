// Reads what changed for merchants in the last few seconds: operations are in the audit log, transitions are events,
// and each delivery attempt is a separate row. All are read through indexes on merchant and time, with a bounded number
// of rows per merchant.
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { idText, intentIdText, merchantIdText } from "#core/db/as-text.ts";
import type { Database } from "#core/db/client.ts";
import { auditLog } from "#core/db/schema/audit-log.ts";
import { event } from "#core/db/schema/events.ts";
import { merchant } from "#core/db/schema/merchants.ts";
import { webhookAttempt, webhookDelivery } from "#core/db/schema/webhooks.ts";
import type { Mode } from "#core/model/mode.ts";

/** Must be longer than a transaction that writes such a row takes to commit. */
const WINDOW_SECONDS = 10;
/** Maximum number of rows per kind and merchant. If more rows changed within the window, only the newest are reported. */
const MOST_ROWS = 100;

/**
 * `key` identifies the row. `names` contains the kind (such as `payment_intent`) and the ids of the affected
 * resources.
 */
export type Change = { merchantId: string; key: string; names: (string | null)[] };

const [a, e] = [alias(auditLog, "a"), alias(event, "e")];
const MERCHANT_ID = merchantIdText(sql`w.merchant_id`);
const [d, t] = [alias(webhookDelivery, "d"), alias(webhookAttempt, "t")];

export async function readChanges(
  database: Pick<Database, "execute">,
  mode: Mode,
  merchantIds: readonly string[],
): Promise<Change[]> {
  const ids = merchantIds.map((id) => merchant.id.mapToDriverValue(id));
  const since = sql`now() - make_interval(secs => ${WINDOW_SECONDS})`;
  const { rows } = await database.execute<Change>(sql`
    with watched as (select unnest(${sql.param(ids)}::bytea[]) as merchant_id)
    select ${MERCHANT_ID} as "merchantId", a.key, a.names from watched w cross join lateral (
      select ${a.position}::text as key, array[split_part(${a.action}, '.', 1), ${intentIdText(a.intentId)}, ${a.resourceId}] as names
      from ${auditLog} a
      where ${a.merchantId} = w.merchant_id and ${a.mode} = ${mode} and ${a.createdAt} > ${since}
      order by ${a.createdAt} desc, ${a.position} desc limit ${MOST_ROWS}) a
    union all
    select ${MERCHANT_ID}, e.key, e.names from watched w cross join lateral (
      select ${e.position}::text as key, array[split_part(${e.type}, '.', 1), ${intentIdText(e.intentId)}] as names
      from ${event} e
      where ${e.merchantId} = w.merchant_id and ${e.mode} = ${mode} and ${e.createdAt} > ${since}
      order by ${e.createdAt} desc, ${e.position} desc limit ${MOST_ROWS}) e
    union all
    select ${MERCHANT_ID}, t.key, t.names from watched w cross join lateral (
      select ${t.id}::text as key, array['webhook_delivery', ${idText("we", d.endpointId)}, ${intentIdText(d.intentId)}] as names
      from ${webhookAttempt} t
      join ${webhookDelivery} d on ${d.id} = ${t.deliveryId} and ${d.merchantId} = ${t.merchantId}
      where ${t.merchantId} = w.merchant_id and ${t.createdAt} > ${since}
      order by ${t.createdAt} desc limit ${MOST_ROWS}) t`);
  return rows;
}
