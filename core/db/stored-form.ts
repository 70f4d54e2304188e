// Rows that a statement reads from JSON have their ids and hashes in the form in which the tables store them.
import { getTableColumns, is } from "drizzle-orm";
import { PgCustomColumn, type PgTable } from "drizzle-orm/pg-core";

/**
 * Returns a function that converts those values of a row whose names are columns of the table with a type of our own
 * (core/db/schema/columns.ts). All other values stay as they are.
 */
export function toStoredForm<Table extends PgTable>(table: Table): <Row extends object>(row: Row) => Row {
  const mappings = Object.entries(getTableColumns(table)).flatMap(([name, column]) =>
    is(column, PgCustomColumn) ? [[name, (value: unknown) => column.mapToDriverValue(value)] as const] : [],
  );
  return <Row extends object>(row: Row) => {
    const stored = { ...row } as Record<string, unknown>;
    for (const [name, map] of mappings) if (stored[name] != null) stored[name] = map(stored[name]);
    return stored as Row;
  };
}
