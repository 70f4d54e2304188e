// Many payments in every state without due work, for measuring the cost of an idle pass.
import { sql } from "drizzle-orm";
import { hexText } from "#core/db/as-text.ts";
import { CHAIN_SCHEMA } from "#core/db/chain.ts";
import type { Database } from "#core/db/client.ts";
import * as schema from "#indexer/ponder.schema.ts";
import { addCopies } from "./copies.ts";
import type { TestIntent } from "./intents.ts";

type Statements = Pick<Database, "execute">;

/** Creates the indexer's indexes. */
export async function createIndexes(database: Database): Promise<void> {
  const { getSql } = await import(new URL("drizzle/kit/index.js", import.meta.resolve("ponder")).href);
  await database.transaction(async (tx) => {
    await tx.execute(sql.raw(`set local search_path = ${CHAIN_SCHEMA}`));
    for (const statement of getSql(schema).indexes.sql) await tx.execute(sql.raw(statement));
  });
}

const FAR = 2_000_000_000;
const SETTLED = { status: 4, released: "100000000", settled: "100000000" };
const KINDS = {
  locked: { order: { release_type: 1, status: 2, time_lock_until: FAR } },
  disputed: { order: { status: 6, dispute_deadline: FAR } },
  milestones: { order: { release_type: 2, auto_release_on_proof: true } },
  created: {},
  settled: { order: SETTLED, intent: { last_emitted_status: "FINAL" } },
  decided: { order: { ...SETTLED, dispute_deadline: 1 }, intent: { last_emitted_status: "FINAL" } },
  canceled: { order: null, intent: { last_emitted_status: "CANCELED", canceled_at: "2024-01-01T00:00:00Z" } },
  unpaid: { order: null, intent: { last_emitted_status: "INITIATED" } },
};

/** Adds a number of payments of each kind, based on a template with an order. */
export async function addPayments(database: Statements, template: TestIntent, each: number): Promise<void> {
  for (const [name, kind] of Object.entries(KINDS)) {
    await addCopies(database, template, { count: each, name, ...kind });
  }
  const copies = (name: keyof typeof KINDS) => sql`
    from (select n, md5(${name} || n) || md5(${name} || -n) as hex from generate_series(1, ${each}::int) n) copy
    join chain."order" o on o.id = decode(hex, 'hex')`;
  await database.execute(sql`
    insert into chain.settlement (order_id, number, off_ramp, amount, settled_at, block, block_hash, tx_hash)
    select id, 1, off_ramp, amount, 1, created_block, created_block_hash, id ${copies("settled")}`);
  await database.execute(sql`
    insert into chain.milestone_release (order_id, number, amount, released, actor, released_at, block, tx_hash)
    select id, 1, 1, 1, operator, 1, created_block, id ${copies("settled")}`);
  await database.execute(sql`
    insert into chain.delivery_proof (order_id, number, submitted_by, proof_hash, proof_uri, proven, submitted_at, block, tx_hash)
    select id, 1, operator, id, '', true, 1, created_block, id ${copies("decided")}`);
  await database.execute(sql`
    insert into gateway.milestone (id, merchant_id, intent_id, milestone_index, amount)
    select 'milestone_' || hex, (select merchant_id from gateway.intent where id = o.id), o.id, 0, 1 ${copies("milestones")}`);
  await database.execute(sql`
    insert into gateway.milestone (id, merchant_id, intent_id, milestone_index, amount, completed_at)
    select 'milestone_' || hex, (select merchant_id from gateway.intent where id = o.id), o.id, 0, 1, now() ${copies("settled")}`);
  await database.execute(sql`
    insert into gateway.reported_transaction (merchant_id, intent_id, hash, payer, created_at)
    select (select merchant_id from gateway.intent where id = o.id), o.id, id, ${hexText(sql`payer`)}, now() - n * interval '1 minute' ${copies("created")}`);
  await database.execute(sql`
    with stored as (
      insert into gateway.transaction (id, deployment_id, signer, nonce, purpose, state, fee_posted, succeeded, block_number, created_at,
        updated_at)
      select left(hex, 32)::uuid, d.id, operator, n, 'create_order', 'final', true, true, 1,
        now() - n * interval '1 second' - interval '1 minute', now() - n * interval '1 second' - interval '1 minute'
      ${copies("disputed")}, gateway.deployment d)
    insert into gateway.transaction_order select left(hex, 32)::uuid, id, 'create_order' ${copies("disputed")}`);
}
