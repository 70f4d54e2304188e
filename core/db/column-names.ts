// A table's column names for SQL clauses that do not accept qualified names: the targets of `set`, the columns of an
// insert and of its `on conflict`, and the columns of `excluded`.
import { getTableColumns, type Name, sql } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import type { PgTable } from "drizzle-orm/pg-core";

/** @returns the names, by the names in the schema object. Drizzle derives them only in its own statements */
export function columnNames<Table extends PgTable>(
  table: Table,
): Record<keyof Table["$inferSelect"] & string, Name> {
  const names = Object.entries(getTableColumns(table)).map(([key, { name, keyAsName }]) => [
    key,
    sql.identifier(keyAsName ? toSnakeCase(name) : name),
  ]);
  return Object.fromEntries(names);
}
