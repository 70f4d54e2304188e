// The condition that a column has one of many values, with the values as one parameter, so that the text of a statement
// does not depend on their number.
import { type Column, type Placeholder, type SQL, sql } from "drizzle-orm";

/**
 * @param values a placeholder stands for values that a prepared statement gets later
 * @param form the column whose type the values have, if it differs: an order's id has the bytes of its intent's id
 */
export function isAmong(
  column: Column,
  values: readonly unknown[] | Placeholder,
  form: Column = column,
): SQL {
  const mapToDriverValue = (given: unknown) =>
    (given as readonly unknown[]).map((value) => form.mapToDriverValue(value));
  const list = sql.param<unknown, unknown>(values, { mapToDriverValue });
  return sql`${column} = any(${list}::${sql.raw(column.getSQLType())}[])`;
}
