// The names of a table's columns where SQL takes no qualified one: what `set` assigns, the columns of an insert and of
// its conflict, and those of `excluded`.
import { getTableColumns, type Name, sql } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import type { PgTable } from "drizzle-orm/pg-core";

/** @returns the names by those of the schema object, from which drizzle derives them only in its own statements */
export function columnNames<Table extends PgTable>(
  table: Table,
): Record<keyof Table["$inferSelect"] & string, Name> {
  const names = Object.entries(getTableColumns(table)).map(([key, { name, keyAsName }]) => [
    key,
    sql.identifier(keyAsName ? toSnakeCase(name) : name),
  ]);
  return Object.fromEntries(names);
}
