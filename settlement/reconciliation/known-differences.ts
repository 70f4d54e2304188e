// Stores the differences that reconciliations find, each with a number by which operations acknowledge it. An
// acknowledged difference no longer triggers the alert; `npm run reconcile` still lists it.
import { lt, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Database, Transaction } from "#core/db/client.ts";
import { columnNames } from "#core/db/column-names.ts";
import { reconciliationDifference } from "#core/db/schema/operations.ts";
import type { Discrepancy } from "./discrepancy.ts";

export type KnownDifference = Discrepancy & {
  /** The number by which the difference is acknowledged. */
  id: number;
  /** Who acknowledged the difference, and why; null if nobody has. */
  acknowledged: { by: string; reason: string } | null;
};

/** Maximum number of differences per statement. */
const AT_ONCE = 500;

type Row = {
  kind: string;
  about: string;
  identity: string;
  id: number;
  by: string | null;
  reason: string | null;
};

const d = alias(reconciliationDifference, "d");
const names = columnNames(reconciliationDifference);

const nameRow = ({ kind, about, identity }: Pick<Row, "kind" | "about" | "identity">) =>
  JSON.stringify([kind, about, identity]);

async function keep(
  database: Pick<Database | Transaction, "execute">,
  found: readonly Discrepancy[],
): Promise<KnownDifference[]> {
  const rows = found.map(({ kind, about, says, stake, identity }) => ({
    ...{ kind, about, says, identity, amount: stake?.amount ?? null, currency: stake?.currency ?? null },
  }));
  const { rows: kept } = await database.execute<Row>(sql`
    insert into ${reconciliationDifference} as d (${names.kind}, ${names.about}, ${names.identity}, ${names.says},
      ${names.amount}, ${names.currency})
    select distinct on (kind, about, identity) kind, about, identity, says, amount, currency
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as k (kind text, about text, identity text, says text, amount numeric, currency text)
    order by kind, about, identity
    on conflict (${names.kind}, ${names.about}, ${names.identity}) do update set
      ${names.lastSeen} = clock_timestamp(), ${names.says} = excluded.${names.says}
    returning ${d.kind}, ${d.about}, ${d.identity}, ${d.id}, ${d.acknowledgedBy} as "by", ${d.reason}`);
  const byName = new Map(kept.map((row) => [nameRow(row), row]));
  return found.map((one) => {
    const { id = 0, by = null, reason } = byName.get(nameRow(one)) ?? {};
    return { ...one, id, acknowledged: by === null ? null : { by, reason: reason ?? "" } };
  });
}

/** Stores the differences. @returns them with their numbers and acknowledgements */
export async function keepDifferences(
  database: Pick<Database | Transaction, "execute">,
  found: readonly Discrepancy[],
): Promise<KnownDifference[]> {
  const known: KnownDifference[] = [];
  for (let start = 0; start < found.length; start += AT_ONCE) {
    known.push(...(await keep(database, found.slice(start, start + AT_ONCE))));
  }
  return known;
}

/** Reads acknowledgements without storing anything. @returns who acknowledged a difference, and why, for those that have been */
export async function findAcknowledged(
  database: Pick<Database, "execute">,
  differences: readonly Discrepancy[],
): Promise<Map<Discrepancy, NonNullable<KnownDifference["acknowledged"]>>> {
  const names = differences.map(({ kind, about, identity }) => ({ kind, about, identity }));
  const { rows } = await database.execute<Row>(sql`
    select ${d.kind}, ${d.about}, ${d.identity}, ${d.acknowledgedBy} as "by", ${d.reason} from ${reconciliationDifference} d
    join json_to_recordset(${JSON.stringify(names)}::json) as k (kind text, about text, identity text)
      using (kind, about, identity)
    where ${d.acknowledgedBy} is not null`);
  const byName = new Map(rows.map((row) => [nameRow(row), row]));
  return new Map(
    differences.flatMap((one) => {
      const { by = null, reason } = byName.get(nameRow(one)) ?? {};
      return by === null ? [] : [[one, { by, reason: reason ?? "" }] as const];
    }),
  );
}

/**
 * Deletes the differences that a full comparison did not find again, because they are resolved.
 * @param before the start of the comparison
 */
export const forgetDifferences = (tx: Transaction, before: Date) =>
  tx.delete(reconciliationDifference).where(lt(reconciliationDifference.lastSeen, before));

export const isOpen = ({ acknowledged }: Pick<KnownDifference, "acknowledged">): boolean =>
  acknowledged === null;
