// Passes a list of any length as one parameter, so that the statement's text is always the same.
import { type Column, type SQL, sql } from "drizzle-orm";

/** Returns the condition that a column has one of the values. */
export const isOneOf = (column: Column, values: readonly string[]): SQL =>
  sql`${column} in (select jsonb_array_elements_text(${JSON.stringify(values.map((value) => column.mapToDriverValue(value)))}::jsonb)::${sql.raw(column.getSQLType())})`;
