// The two workloads that the benchmark alternates on one database: payouts and empty jobs. Both are timed by the
// database's clock, from just before the first job is sent.
import { type SQL, sql } from "drizzle-orm";
import { fromDrizzle, type PgBoss } from "pg-boss";
import { idText } from "#core/db/as-text.ts";
import { inSlices } from "#core/db/batch.ts";
import type { Database, Transaction } from "#core/db/client.ts";
import { until } from "#scripts/shared/wait.ts";
import { type DuePayout, enqueuePayouts } from "#settlement/payouts/payout-queue.ts";

export const EMPTY_QUEUE = "empty";

/** Number of empty jobs or payouts sent in one statement, which is the planner's batch size. */
const AT_ONCE = 200;
const TIMEOUT_MS = 120_000;

type World = { database: Database; boss: PgBoss };

async function number(database: Database | Transaction, query: SQL): Promise<number> {
  const { rows } = await database.execute<{ n: number }>(sql`select (${query})::float8 as n`);
  return rows[0]?.n ?? 0;
}

const NOW = sql`extract(epoch from clock_timestamp())`;

/** @returns the number of jobs completed per second */
export async function doEmptyJobs({ database, boss }: World, count: number): Promise<number> {
  const jobs = Array.from({ length: count }, (_, i) => ({ data: { payoutIds: [`payout_${i}`] } }));
  const start = await database.transaction(async (tx) => {
    const began = await number(tx, NOW);
    for (const some of inSlices(jobs, AT_ONCE))
      await boss.insert(EMPTY_QUEUE, some, { db: fromDrizzle(tx, sql) });
    return began;
  });
  const done = sql`from pgboss.job where name = ${EMPTY_QUEUE} and completed_on > to_timestamp(${start})`;
  await until(async () => (await number(database, sql`select count(*) ${done}`)) === count, {
    what: `Completion of ${count} empty jobs`,
    timeoutMs: TIMEOUT_MS,
  });
  return (
    count / ((await number(database, sql`select extract(epoch from max(completed_on)) ${done}`)) - start)
  );
}

/** Makes at most `count` pending payouts due. */
const due = (count: number) => sql`
  update gateway.payout set next_attempt_at = date_trunc('milliseconds', clock_timestamp())
  where id in (select id from gateway.payout where state = 'created' and next_attempt_at is null limit ${count}::int)
  returning ${idText("payout", sql`id`)} as id, reference, next_attempt_at as "dueAt"`;

/** @returns payouts per second: completed (`paid`); completed, emitted as events and posted to the ledger (`posted`) */
export async function makePayouts(
  { database, boss }: World,
  count: number,
): Promise<{ paid: number; posted: number }> {
  const start = await database.transaction(async (tx) => {
    // Triggers are disabled, because making a planned payout due would schedule another observation of its order.
    await tx.execute(sql`set local session_replication_role = replica`);
    const { rows } = await tx.execute<DuePayout & Record<string, unknown>>(due(count));
    await tx.execute(sql`set local session_replication_role = origin`);
    const payouts = rows.map((row) => ({ ...row, dueAt: new Date(row.dueAt) }));
    const began = await number(tx, NOW);
    for (const some of inSlices(payouts, AT_ONCE))
      await enqueuePayouts(boss, some, undefined, fromDrizzle(tx, sql));
    return began;
  });
  const made = sql`from gateway.payout where state = 'completed' and updated_at > to_timestamp(${start})`;
  const counted = (more: SQL) => async () =>
    (await number(database, sql`select count(*) ${made} ${more}`)) === count;
  await until(counted(sql``), { what: `Completion of ${count} payouts`, timeoutMs: TIMEOUT_MS });
  const paid = await number(database, sql`select extract(epoch from max(updated_at)) ${made}`);
  // Follow-up work must not spill over into the next round.
  await until(
    async () =>
      (await counted(sql`and emitted_state = state and posted_state = state`)()) &&
      (await number(
        database,
        sql`select count(*) from gateway.intent i join gateway.payout p on p.intent_id = i.id
        where p.state = 'completed' and i.last_emitted_status = 'SUCCEEDED'`,
      )) === 0,
    { what: `Events and postings of ${count} payouts`, timeoutMs: TIMEOUT_MS },
  );
  return { paid: count / (paid - start), posted: count / ((await number(database, NOW)) - start) };
}
