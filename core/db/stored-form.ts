// Rows that a statement reads from JSON have their ids and hashes in the form in which the tables store them.
import { getTableColumns, is } from "drizzle-orm";
import { PgCustomColumn, type PgTable } from "drizzle-orm/pg-core";

type Mapping = (value: unknown) => unknown;

/**
 * Returns a function that converts those values of a row whose names are columns of the table with a type of our own
 * (core/db/schema/columns.ts). All other values stay as they are.
 */
export function toStoredForm<Table extends PgTable>(table: Table): <Row extends object>(row: Row) => Row {
  const mappings = new Map<string, Mapping>(
    Object.entries(getTableColumns(table)).flatMap(([name, column]) =>
      is(column, PgCustomColumn) ? [[name, (value) => column.mapToDriverValue(value)] as const] : [],
    ),
  );
  const convert = ([name, value]: [string, unknown]): [string, unknown] => {
    const mapping = value == null ? undefined : mappings.get(name);
    return [name, mapping ? mapping(value) : value];
  };
  return <Row extends object>(row: Row) => Object.fromEntries(Object.entries(row).map(convert)) as Row;
}
