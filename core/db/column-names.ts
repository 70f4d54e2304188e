// A table's column names for SQL clauses that do not accept qualified names: the targets of `set`, the columns of an
// insert and of its `on conflict`, and the columns of `excluded`.
import { type Column, getTableColumns, type Name, sql } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import type { PgTable } from "drizzle-orm/pg-core";

const nameOf = ({ name, keyAsName }: Column): string => (keyAsName ? toSnakeCase(name) : name);

/** @returns the names, by the names in the schema object. Drizzle derives them only in its own statements */
export function columnNames<Table extends PgTable>(
  table: Table,
): Record<keyof Table["$inferSelect"] & string, Name> {
  const names = Object.entries(getTableColumns(table)).map(([key, column]) => [
    key,
    sql.identifier(nameOf(column)),
  ]);
  return Object.fromEntries(names);
}

/**
 * Lists the columns that an insert can set, for statements that copy rows.
 * @param prefix the alias of the table, with its point
 */
export const listWritable = (table: PgTable, prefix = ""): string =>
  Object.values(getTableColumns(table))
    .filter(({ generated }) => !generated)
    .map((column) => `${prefix}"${nameOf(column)}"`)
    .join(", ");
