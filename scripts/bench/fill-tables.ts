// Fills the tables that grow with every payment, to measure the cost of operations when there are many payments.
import { Client } from "pg";
import { packEventData } from "#core/model/pack-event-data.ts";

/** Inserts payments in a final state. They belong to a chain that no longer exists, so that they need no orders. */
const FILL = `
  with past as (
    insert into gateway.deployment (chain_id, genesis_hash, contract, start_block, tokens, units, wallets, current)
    select chain_id, '0x' || repeat('0', 64), contract, start_block, tokens, units, wallets, false
    from gateway.deployment where current
    on conflict (chain_id, genesis_hash, contract) do update set current = false returning id
  ), filled as (
    insert into gateway.intent
    select i.* from past, gateway.intent t, generate_series($2::int, $3::int) n,
      lateral (select '\\x' || md5(n::text) || md5('x' || n) as id) h,
      lateral jsonb_populate_record(t, jsonb_build_object(
        'id', h.id, 'deployment_id', past.id,
        'currency', case n % 20 when 0 then 'USDT' else 'USDC' end,
        'metadata', jsonb_build_object('orderId', 'past-' || n),
        'description', 'Order past-' || n,
        'last_emitted_merchant_status', case n % 20 when 1 then 'CANCELED' else 'FINAL' end,
        'last_emitted_status', case n % 20 when 1 then 'CANCELED' else 'FINAL' end,
        'created_at', t.created_at - n * interval '1 second', 'updated_at', t.created_at)) i
    where t.id = decode(substr($1, 8), 'hex')
    returning id, merchant_id, mode, metadata, created_at
  ), found_by as (
    insert into gateway.search_term
    select merchant_id, term, created_at, id
    from filled, unnest(array['order', 'past', substr(metadata ->> 'orderId', 6), '0x' || substr(md5(id), 1, 22)]) term
  ), emitted as (
    insert into gateway.event (id, merchant_id, mode, intent_id, sequence, type, to_status, decided_by, data, metadata, created_at)
    select uuidv7(), merchant_id, mode, id, 1, 'payment_intent.final', 'FINAL', '',
      $4::bytea, metadata, created_at
    from filled order by created_at
  )
  insert into gateway.audit_log (id, merchant_id, mode, actor_type, actor, action, intent_id, to_status, metadata, created_at)
  select uuidv7(), merchant_id, mode, 'system', null, 'payment_intent.create', id, 'INITIATED', metadata, created_at
  from filled order by created_at`;

const DATA = packEventData({ object: { object: "payment_intent", status: "FINAL" } });

const AT_ONCE = 50_000;

/** The `application_name` of the session that fills the tables. */
export const FILL_TABLES = "fill tables";

/**
 * Adds payments of the template's merchant up to a given number, each with an event and an entry in the audit log.
 * @param from the number added before
 */
export async function fillTables(
  databaseUrl: string,
  template: string,
  { from = 0, to }: { from?: number; to: number },
): Promise<void> {
  const client = new Client({ connectionString: databaseUrl, application_name: FILL_TABLES });
  await client.connect();
  try {
    for (let first = from + 1; first <= to; first += AT_ONCE) {
      await client.query(FILL, [template, first, Math.min(to, first + AT_ONCE - 1), DATA]);
    }
    await client.query(
      "vacuum analyze gateway.intent, gateway.intent_by_status, gateway.search_term, gateway.event, gateway.audit_log, gateway.work_item",
    );
  } finally {
    await client.end();
  }
}
