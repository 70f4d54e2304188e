// What changed for merchants in the last seconds: the audit log has every operation and event, and each delivery
// attempt is a separate row. Read through the indexes by merchant and time, with a bounded number of rows per merchant.
import { sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import type { Mode } from "#core/db/schema/gateway.ts";

/** Longer than a transaction that writes such a row takes to commit. */
const WINDOW_SECONDS = 10;
/** Per kind and merchant; a page with more of them refetches everything. */
const MOST_ROWS = 100;

/** `key` identifies the row; `names` what it concerns: the resource kind (`payment_intent`) and ids. */
export type Change = { merchantId: string; key: string; names: (string | null)[] };

export async function readChanges(
  database: Pick<Database, "execute">,
  mode: Mode,
  merchantIds: readonly string[],
): Promise<Change[]> {
  const ids = sql.join(
    merchantIds.map((id) => sql`${id}`),
    sql`, `,
  );
  const since = sql`now() - make_interval(secs => ${WINDOW_SECONDS})`;
  const { rows } = await database.execute<Change>(sql`
    with watched as (select unnest(array[${ids}]) as merchant_id)
    select w.merchant_id as "merchantId", a.key, a.names from watched w cross join lateral (
      select position::text as key, array[split_part(action, '.', 1), intent_id, resource_id] as names
      from gateway.audit_log a
      where a.merchant_id = w.merchant_id and a.mode = ${mode} and a.created_at > ${since}
      order by a.created_at desc, a.position desc limit ${MOST_ROWS}) a
    union all
    select w.merchant_id, t.key, t.names from watched w cross join lateral (
      select t.id as key, array['webhook_delivery', d.endpoint_id, d.intent_id] as names
      from gateway.webhook_attempt t
      join gateway.webhook_delivery d on d.id = t.delivery_id and d.merchant_id = t.merchant_id
      where t.merchant_id = w.merchant_id and t.created_at > ${since}
      order by t.created_at desc limit ${MOST_ROWS}) t`);
  return rows;
}
