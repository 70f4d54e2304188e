// The breakdown of a payment's cost: bytes by table and index, statements and WAL by statement.
import type { Client } from "pg";
import type { Statements } from "./statements.ts";
import { quoted, type Template } from "./templates.ts";

/** The size in bytes of a payment's rows in a table, or in one of its indexes. */
export type StoredPart = { name: string; rows: number; bytes: number };

/**
 * Returns the size of a payment's rows and their index entries: each relation's bytes per row, times the payment's
 * rows.
 * @param templates payments of the same kind; half of them have webhooks
 */
export async function storedParts(client: Client, templates: readonly Template[]): Promise<StoredPart[]> {
  const counts = new Map<string, number>();
  for (const [table, rows] of templates.flatMap((template) => [...template.rows])) {
    const name = quoted(table);
    counts.set(name, (counts.get(name) ?? 0) + rows.length / templates.length);
  }
  const parts: StoredPart[] = [];
  for (const [table, rows] of counts) {
    const { rows: found } = await client.query<{ name: string; each: number }>(
      `select c.relname as name, pg_table_size(c.oid) / greatest(1, t.reltuples)::float8 as each
       from pg_class t join pg_class c on c.oid = t.oid
         or c.oid in (select indexrelid from pg_index where indrelid = t.oid)
       where t.oid = $1::regclass`,
      [table],
    );
    for (const { name, each } of found) parts.push({ name, rows, bytes: each * rows });
  }
  return parts.toSorted((a, b) => b.bytes - a.bytes);
}

export const storedBytes = (parts: readonly StoredPart[]): number =>
  parts.reduce((sum, { bytes }) => sum + bytes, 0);

/** A statement's cost over a payment's life, including idling. */
export type SentPart = { name: string; calls: number; wal: number };

export const sentParts = (statements: Statements, payments: number): SentPart[] =>
  [...statements.values()]
    .map(({ role, name, calls, wal }) => ({
      name: `${role}: ${name}`,
      calls: calls / payments,
      wal: wal / payments,
    }))
    .toSorted((a, b) => b.wal - a.wal);
