// Payments with confirmed settlements, each with a payout that is not due yet. Their orders are copies in the indexer's
// own tables, so that every read uses the same indexes as in production.
import { type SQL, sql } from "drizzle-orm";
import { connectChain } from "#core/chain/client.ts";
import { readConfig } from "#core/config/config.ts";
import * as chain from "#core/db/chain.ts";
import { connect, type Database } from "#core/db/client.ts";
import { intent } from "#core/db/schema/intents.ts";
import { ledgerPosting } from "#core/db/schema/ledger.ts";
import { currentDeployment } from "#core/deployment/deployment.ts";
import type { OrderId } from "#core/ids.ts";
import { parseHead } from "#core/indexer-state/guard.ts";
import { DEEPEST_REORG } from "#core/indexer-state/high-water-mark.ts";
import { faucet, localChainClient } from "#scripts/devnet/deploy.ts";
import { until } from "#scripts/shared/wait.ts";
import { openOffRamps } from "#settlement/off-ramp/open-off-ramps.ts";
import { ChainTables } from "#test/settlement/support/chain-tables.ts";
import { insertIntent } from "#test/settlement/support/intents.ts";
import type { Stack } from "#test/support/stack.ts";

/**
 * The block in which all orders were settled. The head is beyond the reach of any reorg from it, as for all but the
 * newest payments: the workers re-read with every block what a reorg may still change.
 */
const BLOCK = 1;

/** Copies a template's intent, order and settlement, and inserts a planned payout of the account for each of them. */
const copy = (template: OrderId, account: string, count: number): SQL => {
  const bytes = sql`${sql.param(template, chain.order.id)}::bytea`;
  return sql`
  with copied as (
    insert into gateway.intent
    select i.* from gateway.intent t, generate_series(2, ${count}::int) n,
      lateral (select sha256(t.id || n::text::bytea) as id) h,
      lateral jsonb_populate_record(t, jsonb_build_object('id', h.id)) i
    where t.id = ${bytes}
    returning id
  ), ordered as (
    insert into chain."order"
    select o.* from copied c, chain."order" t, lateral jsonb_populate_record(t, jsonb_build_object('id', c.id)) o
    where t.id = ${bytes}
  ), settled as (
    insert into chain.settlement
    select s.* from copied c, chain.settlement t,
      lateral jsonb_populate_record(t, jsonb_build_object('order_id', c.id)) s
    where t.order_id = ${bytes}
  )
  insert into gateway.payout (id, reference, intent_id, settlement_number, settlement_tx_hash, settlement_block, settled_at,
    settlement_amount, attempt, method, destination, amount, currency, account, merchant_id, mode, next_attempt_at)
  select uuidv7(), gen_random_uuid()::text, o.id, 1, s.tx_hash, s.block, to_timestamp(s.settled_at),
    s.amount, 1, i.settlement_method, i.settlement_destination, i.amount, i.currency, ${account}, i.merchant_id, i.mode, null
  from (select id from copied union select ${bytes}) o, gateway.intent i
  join chain.settlement s on s.order_id = i.id where i.id = ${bytes}`;
};

/**
 * Stops the indexer once no reorg can reach the settlements, so that its tables and its recorded head stay constant.
 */
async function leaveIndexer(stack: Stack, database: Database): Promise<void> {
  const depth = DEEPEST_REORG + 1;
  const node = localChainClient(stack.rpcUrl);
  // Mines one block per request: the indexer cannot follow the parents of blocks that the node has only reserved.
  for (let i = 0; i < depth; i++) await node.mine({ blocks: 1 });
  await until(
    async () => {
      const [checkpoint] = await database.select().from(chain.ponderCheckpoint);
      return checkpoint !== undefined && parseHead(checkpoint.latestCheckpoint).block > BLOCK + depth;
    },
    { what: "Confirmation of the settlements", timeoutMs: 30_000 },
  );
  await stack.kill("indexer");
}

/**
 * Fills a stack in which only the indexer runs, and starts its settlement role. Returns once only the payouts remain,
 * for which the off-ramp's wallet has sufficient funds.
 */
export async function settlePayments(stack: Stack, count: number): Promise<void> {
  const config = readConfig(stack.environment);
  const url = new URL(config.databaseUrl);
  // The indexer's triggers send notifications for its blocks; they must not fire for these rows.
  url.searchParams.set("options", "-c session_replication_role=replica");
  const database = connect(url.href, { application: "bench filler", max: 1 });
  try {
    const deployment = await currentDeployment(database, connectChain(config), config);
    await leaveIndexer(stack, database);
    const [merchant] = stack.merchants;
    if (!merchant) throw new Error("The stack has no merchant.");
    const { operator, offRamp: wallet } = config;
    const parties = { merchantId: merchant.merchantId, payee: merchant.account, operator, offRamp: wallet };
    const { orderId, terms } = await insertIntent(database, deployment, parties, {
      lastEmittedStatus: "SUCCEEDED",
    });
    const tables = new ChainTables(database);
    await tables.fund(orderId, terms, BLOCK, stack.payer.address);
    await tables.settle(orderId, terms, BLOCK);
    const [order] = await database.select().from(chain.order);
    await database.update(intent).set({ escrowEmitted: order?.updatedBlockHash ?? null });
    const offRamp = (await openOffRamps(config, database))("OFF_RAMP_MOCK");
    if (!offRamp) throw new Error("The mock off-ramp is not configured.");
    await database.execute(copy(orderId, offRamp.account, count));
    await database.execute("vacuum analyze");
    await faucet(stack.rpcUrl, terms.token, wallet, terms.amount * BigInt(count));
    await stack.restart("settlement");
    // Each payment has a posting for its funding and one for its settlement.
    const posted = async () => {
      // Autovacuum runs only once a minute, and plans assume an empty ledger until then.
      await database.execute("analyze gateway.ledger_posting");
      return (await database.$count(ledgerPosting)) === 2 * count;
    };
    await until(posted, { what: "Posting of all settlements", timeoutMs: 180_000 });
  } finally {
    await database.$client.end();
  }
}
