// Adds sealed rows to the audit log without a running gateway.
import { sql } from "drizzle-orm";
import { connect, type Database } from "#core/db/client.ts";
import { packEventData } from "#core/model/pack-event-data.ts";
import { sealUpTo } from "#settlement/events/audit-hash-chain.ts";
import { testDatabase } from "#test/support/stack.ts";

/** Rows of `audit_log` in a seal. */
export const LOGGED_A_SEAL = 3;
/** Rows in a seal: those of `audit_log` and one event. */
export const ROWS_A_SEAL = LOGGED_A_SEAL + 1;

const DATA = packEventData({ object: { object: "payment_intent", status: "FINAL" } });

/** Adds and seals rows with a given time. Their text contains characters that are special in JSON Lines. */
export const addSeal = (database: Database, at: string): Promise<void> =>
  database.transaction(async (tx) => {
    await tx.execute(sql`
      insert into gateway.audit_log (id, actor_type, action, metadata, created_at)
      select gen_random_uuid(), 'system', 'test', jsonb_build_object('text', ${'"\u2028\r\n{}é'}::text, 'n', 1.50), ${at}
      from generate_series(1, ${LOGGED_A_SEAL}::int)`);
    await tx.execute(
      sql`insert into gateway.merchant (id, name, account) values (decode('7e570000000000000001', 'hex'), 'M', 'm') on conflict do nothing`,
    );
    const { rows } = await tx.execute<{ end: number }>(sql`
      insert into gateway.event (id, merchant_id, mode, type, decided_by, data, created_at)
      values (gen_random_uuid(), decode('7e570000000000000001', 'hex'), 'test', 'payment_intent.final', '', ${DATA}, ${at})
      returning position::int as end`);
    await sealUpTo(tx, rows[0]?.end ?? 0);
  });

/** @returns the URL of a new database with three seals */
export async function sealedDatabase(): Promise<string> {
  const url = await testDatabase();
  const database = connect(url, { application: "audit test" });
  for (let seal = 0; seal < 3; seal++) await addSeal(database, new Date().toISOString());
  await database.$client.end();
  return url;
}
