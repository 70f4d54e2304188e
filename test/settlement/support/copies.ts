// Creates thousands of copies of a payment.
import { sql } from "drizzle-orm";
import * as chain from "#core/db/chain.ts";
import type { Database } from "#core/db/client.ts";
import { intent as table } from "#core/db/schema/intents.ts";
import type { TestIntent } from "./intents.ts";

type Copies = {
  count: number;
  /** Distinguishes these copies from other copies of the same payment. */
  name?: string;
  /** Columns in which the copies differ from the original. If `order` is null, the copies have no order. */
  intent?: Record<string, unknown>;
  order?: Record<string, unknown> | null;
};

/** Adds copies of a payment and its order. Each copy has its own ids and is one second older than the previous one. */
export async function addCopies(
  database: Pick<Database, "execute">,
  { id, orderId }: TestIntent,
  { count, name = "", intent = {}, order = {} }: Copies,
): Promise<void> {
  const copies = sql`(select n, md5(${name} || n) || md5(${name} || -n) as hex from generate_series(1, ${count}::int) n) copy`;
  await database.execute(sql`
    insert into gateway.intent select i.* from ${copies}, gateway.intent t, jsonb_populate_record(t,
      jsonb_build_object('id', '\\x' || hex, 'created_at', t.created_at - n * interval '1 second',
        'updated_at', t.updated_at - n * interval '1 second') || ${JSON.stringify(intent)}::jsonb) i
    where t.id = ${sql.param(id, table.id)}`);
  if (order === null) return;
  await database.execute(sql`
    insert into chain."order" select o.* from ${copies}, chain."order" t, jsonb_populate_record(t,
      jsonb_build_object('id', '\\x' || hex) || ${JSON.stringify(order)}::jsonb) o
    where t.id = ${sql.param(orderId, chain.order.id)}`);
}
