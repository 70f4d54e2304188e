// Retention: every rule deletes exactly the due rows, in batches and through an index.
import { afterEach, beforeEach, describe, it } from "bun:test";
import { expect } from "chai";
import { getTableName, type SQL, sql } from "drizzle-orm";
import pino from "pino";
import { connect, type Database } from "#core/db/client.ts";
import { merchant } from "#core/db/schema/merchants.ts";
import { packEventData } from "#core/model/pack-event-data.ts";
import { BATCH, createRetentionWorker, deleteBatch } from "#settlement/runtime/retention/delete-expired.ts";
import { RETENTION_RULES, type RetentionRule } from "#settlement/runtime/retention/rules.ts";
import { sessionsEnded, tableReads } from "#test/support/table-reads.ts";
import { addCopies } from "./support/copies.ts";
import type { TestIntent } from "./support/intents.ts";
import { MERCHANT, makeWorld, PAYER, type World } from "./support/world.ts";

const HOUR_MS = 3_600_000;
const MANY = 2_000;

let world: World;
let database: Database;
let template: TestIntent;
beforeEach(async () => {
  world = await makeWorld();
  database = world.context.database;
  template = await world.addIntent({ lastEmittedStatus: "CANCELED" });
  await database.execute(sql`
    insert into gateway.webhook_endpoint (id, merchant_id, mode, url, enabled_events, secret)
    values (${ONE}, ${sql.param(MERCHANT, merchant.id)}, 'test', 'https://example.com', '["*"]', '')`);
  await database.execute(sql`
    insert into gateway.event (id, merchant_id, mode, type, decided_by, data) values (${ONE}, ${sql.param(MERCHANT, merchant.id)}, 'test', 'webhook.test', '', ${packEventData({ object: { object: "webhook_endpoint" } })})`);
  await database.execute(sql`
    insert into gateway.dashboard_user (id, name, email, merchant_id) values ('user', 'User', 'user@example.com', ${sql.param(MERCHANT, merchant.id)})`);
});
afterEach(() => world.close());

/** The id of the only webhook endpoint, and of the only event. */
const ONE = sql.raw(`'${crypto.randomUUID()}'::uuid`);
const uuidAt = (at: SQL): SQL => sql`uuidv7(${at} - now())`;

type Rows = { name: string; count: number; at: SQL };

/** Adds rows that expired at a given time, for each table. */
const INSERT: Record<string, (rows: Rows) => Promise<unknown>> = {
  idempotency_key: ({ name, count, at }) =>
    database.execute(sql`
      insert into gateway.idempotency_key (scope, key, digest, owner, lease_until, status, body, created_at)
      select 'merchant', ${name} || n, '', '', now(), 200, '{}', ${at} from generate_series(1, ${count}::int) n`),
  webhook_delivery: ({ count, at }) =>
    database.execute(sql`
      with delivery as (
        insert into gateway.webhook_delivery (id, merchant_id, endpoint_id, event_id, status, next_attempt_at, created_at)
        select ${uuidAt(at)}, ${sql.param(MERCHANT, merchant.id)}, ${ONE}, ${ONE}, 'succeeded', null, ${at} from generate_series(1, ${count}::int) n
        returning id, merchant_id)
      insert into gateway.webhook_attempt (id, merchant_id, delivery_id, status_code, duration_ms)
      select id, merchant_id, id, 200, 1 from delivery`),
  reported_transaction: async ({ name, count, at }) => {
    const hasIntents = count < MANY;
    if (hasIntents) await addCopies(database, template, { count, name, order: null });
    await database.transaction(async (tx) => {
      // Disables the foreign key check, because inserting five thousand intents would take longer than the rest of
      // the test.
      if (!hasIntents) await tx.execute(sql`set local session_replication_role = replica`);
      await tx.execute(sql`
        insert into gateway.reported_transaction (merchant_id, intent_id, hash, payer, created_at)
        select ${sql.param(MERCHANT, merchant.id)}, decode(md5(${name} || n) || md5(${name} || -n), 'hex'), '', ${PAYER}, ${at}
        from generate_series(1, ${count}::int) n`);
    });
  },
  reconciliation: ({ count, at }) =>
    database.execute(sql`
      insert into gateway.reconciliation (differences, created_at) select '{}', ${at} from generate_series(1, ${count}::int) n`),
  dashboard_session: ({ name, count, at }) =>
    database.execute(sql`
      insert into gateway.dashboard_session (id, token, user_id, expires_at)
      select ${name} || n, ${name} || n, 'user', ${at} from generate_series(1, ${count}::int) n`),
  dashboard_verification: ({ name, count, at }) =>
    database.execute(sql`
      insert into gateway.dashboard_verification (id, identifier, value, expires_at)
      select ${name} || n, ${name} || n, 'user', ${at} from generate_series(1, ${count}::int) n`),
  request_log: ({ count, at }) =>
    database.execute(sql`
      insert into gateway.request_log (id, merchant_id, mode, key_id, method, path, status, duration_ms, request_id, created_at)
      select ${uuidAt(at)}, ${sql.param(MERCHANT, merchant.id)}, 'test', 'key', 'GET', '/v1/balance', 200, 1, 'req', ${at}
      from generate_series(1, ${count}::int) n`),
  dashboard_rate_limit: ({ name, count, at }) =>
    database.execute(sql`
      insert into gateway.dashboard_rate_limit (id, key, count, last_request)
      select ${name} || n, ${name} || n, 1, extract(epoch from ${at}) * 1000 from generate_series(1, ${count}::int) n`),
};

/** Adds rows that have been due for this many milliseconds. With a negative number, they become due that much later. */
function add({ table, keptMs }: RetentionRule, count: number, dueMs: number): Promise<unknown> {
  const insert = INSERT[getTableName(table)];
  if (!insert) throw new Error(`No row of ${getTableName(table)} is made here.`);
  // The rows' order by time is not their order in the table.
  const at = sql`now() - ${keptMs + dueMs}::bigint * interval '1 millisecond' + (n * 7919 % 20011) * interval '1 millisecond'`;
  return insert({ name: `${dueMs} `, count, at });
}

const count = (rule: RetentionRule) => database.$count(rule.table);
const worker = (intervalMs = 0) => createRetentionWorker(world.context, { intervalMs });
const ruleFor = (table: string): RetentionRule => {
  const rule = RETENTION_RULES.find((one) => getTableName(one.table) === table);
  if (!rule) throw new Error(`There is no rule for ${table}.`);
  return rule;
};

describe.each(RETENTION_RULES.map((rule) => [getTableName(rule.table), rule] as const))(
  "%s",
  (name, rule) => {
    it("is deleted when its retention has ended, not earlier", async () => {
      await add(rule, 3, HOUR_MS);
      await add(rule, 2, -HOUR_MS);
      await worker()();
      expect(await count(rule)).to.equal(2);
      await worker()();
      expect(await count(rule)).to.equal(2);
    });

    it("is deleted in batches, each through an index of due rows", async () => {
      await add(rule, MANY, -HOUR_MS);
      await add(rule, 100, HOUR_MS);
      await database.execute(sql`vacuum analyze`);
      const before = await tableReads(world.databaseUrl, 1_000);
      const one = connect(world.databaseUrl, { application: "retention", max: 1, seekCost: 1.1 });
      expect((await deleteBatch(one, rule, { limit: 60 })).count).to.equal(60);
      expect((await deleteBatch(one, rule, { limit: 60 })).count).to.equal(40);
      expect((await deleteBatch(one, rule, { limit: 60 })).count).to.equal(0);
      await one.$client.end();
      await sessionsEnded(world.databaseUrl, ["retention"]);
      const after = await tableReads(world.databaseUrl, 1_000);
      for (const [table, { scans, rows }] of Object.entries(after)) {
        expect(scans - (before[table]?.scans ?? 0), `scans of ${table}`).to.equal(0);
        expect(rows - (before[table]?.rows ?? 0), `rows of ${table}`).to.be.at.most(500);
      }
      expect(Object.keys(after)).to.include(name);
      expect(await count(rule)).to.equal(MANY);
    });

    it("costs the tenth batch no more pages than the first, although the rows of the others are not vacuumed", async () => {
      await add(rule, 1_000, HOUR_MS);
      await database.transaction(async (tx) => {
        let from: string | null = null;
        const pages: number[] = [];
        for (let batch = 0; batch < 10; batch++) {
          const before = await pagesRead(tx);
          const deleted = await deleteBatch(tx, rule, { limit: 100, from });
          expect(deleted.count).to.equal(100);
          from = deleted.last;
          pages.push((await pagesRead(tx)) - before);
        }
        expect(pages.at(-1), pages.join(" ")).to.be.at.most((pages[0] ?? 0) * 1.2);
      });
    });
  },
);

/** The number of pages that the transaction has read of the gateway's tables and indexes. */
async function pagesRead(tx: Pick<Database, "execute">): Promise<number> {
  const { rows } = await tx.execute<{ pages: number }>(sql`
    select sum(pg_stat_get_xact_blocks_fetched(oid))::int as pages from pg_class
    where relnamespace = 'gateway'::regnamespace`);
  return rows[0]?.pages ?? Number.NaN;
}

describe("the retention worker", () => {
  const keys = ruleFor("idempotency_key");

  it("deletes more than one batch in one pass, although another replica deletes as well", async () => {
    await add(keys, 2 * BATCH + 500, HOUR_MS);
    await add(keys, 10, -HOUR_MS);
    const workers = [worker(), worker()];
    await Promise.all(workers.map((run) => run()));
    // One replica skipped the rows that the other had locked.
    await workers[0]?.();
    expect(await count(keys)).to.equal(10);
  });

  it("leaves a row that is in use to a later pass, without waiting", async () => {
    await add(keys, 2, HOUR_MS);
    await database.transaction(async (tx) => {
      await tx.execute(sql`select from gateway.idempotency_key where key like '%1' for update`);
      await worker()();
      expect(await count(keys)).to.equal(1);
    });
    await worker()();
    expect(await count(keys)).to.equal(0);
  });

  it("logs how many rows of each table it deleted, and nothing when there were none", async () => {
    const lines: string[] = [];
    const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(line) });
    await add(keys, 3, HOUR_MS);
    await add(ruleFor("dashboard_rate_limit"), 2, HOUR_MS);
    const run = createRetentionWorker({ database, log }, { intervalMs: 0 });
    await run();
    await run();
    expect(lines.map((line) => JSON.parse(line))).to.deep.equal([
      {
        level: 30,
        deleted: { idempotency_key: 3, dashboard_rate_limit: 2 },
        msg: "deleted rows whose retention period has ended",
      },
    ]);
  });

  it("applies every other rule when one fails, and reports the error", async () => {
    await add(keys, 1, HOUR_MS);
    await add(ruleFor("dashboard_rate_limit"), 1, HOUR_MS);
    await database.execute(sql`alter table gateway.idempotency_key rename to elsewhere`);
    const problem = await worker()().then(
      () => undefined,
      (error: Error) => error,
    );
    expect(String(problem?.cause)).to.include("idempotency_key");
    expect(await count(ruleFor("dashboard_rate_limit"))).to.equal(0);
  });

  it("does nothing before its interval has passed, or while it is stopping", async () => {
    const run = worker(HOUR_MS);
    await run();
    await add(keys, 1, HOUR_MS);
    await run();
    await worker()(AbortSignal.abort());
    expect(await count(keys)).to.equal(1);
  });
});

describe("a webhook delivery", () => {
  const rule = ruleFor("webhook_delivery");

  it("is deleted with its attempts, and stays while something is left to do", async () => {
    await add(rule, 3, HOUR_MS);
    const { rows: delivery } = await database.execute<{ id: string }>(
      sql`select id from gateway.webhook_delivery limit 1`,
    );
    const kept = delivery[0]?.id;
    await database.execute(sql`
      update gateway.webhook_delivery set next_attempt_at = now(), status = 'pending' where id = ${kept}`);
    await worker()();
    const { rows } = await database.execute(sql`
      select d.id, a.id as attempt from gateway.webhook_delivery d full join gateway.webhook_attempt a on a.delivery_id = d.id`);
    expect(rows).to.deep.equal([{ id: kept, attempt: kept }]);
  });
});

describe("a reported transaction that failed", () => {
  it("stays while its payment can change", async () => {
    const rule = ruleFor("reported_transaction");
    await add(rule, 2, HOUR_MS);
    await database.execute(sql`update gateway.reported_transaction set failed = true`);
    await database.execute(sql`
      update gateway.intent set last_emitted_status = 'REQUIRES_ACTION'
      where id = (select intent_id from gateway.reported_transaction limit 1)`);
    await worker()();
    expect(await count(rule)).to.equal(1);
    await database.execute(sql`update gateway.intent set last_emitted_status = 'CANCELED'`);
    await worker()();
    expect(await count(rule)).to.equal(0);
  });
});

describe("the queue's jobs", () => {
  it("are deleted an hour after they ended, done or not", async () => {
    const { rows } = await database.execute(sql`
      select deletion_seconds::int as "deletedAfter", retention_seconds::int as "keptWaiting" from pgboss.queue where name = 'payouts'`);
    expect(rows).to.deep.equal([{ deletedAfter: 3_600, keptWaiting: 3_600 }]);
  });
});
