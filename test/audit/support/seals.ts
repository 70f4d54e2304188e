// Adds sealed rows to the audit log without a running gateway.
import { sql } from "drizzle-orm";
import { connect, type Database } from "#core/db/client.ts";
import { sealUpTo } from "#settlement/events/audit-hash-chain.ts";
import { testDatabase } from "#test/support/stack.ts";

export const ROWS_A_SEAL = 3;

/** Adds and seals rows with a given time. Their text contains characters that are special in JSON Lines. */
export const addSeal = (database: Database, at: string): Promise<void> =>
  database.transaction(async (tx) => {
    await tx.execute(sql`
      insert into gateway.audit_log (id, actor_type, action, metadata, created_at)
      select 'audit_' || gen_random_uuid(), 'system', 'test', jsonb_build_object('text', ${'"\u2028\r\n{}é'}::text, 'n', 1.50), ${at}
      from generate_series(1, ${ROWS_A_SEAL}::int)`);
    const { rows } = await tx.execute<{ end: number }>(
      sql`select max(position)::int as end from gateway.audit_log`,
    );
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
