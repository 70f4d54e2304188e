// The condition that a column has one of many values, with the values as one parameter, so that the text of a prepared
// statement does not depend on their number.
import { type Column, type Placeholder, type SQL, sql } from "drizzle-orm";

/**
 * @param name the placeholder that gets the values
 * @param form the column whose type the values have, if it differs: an order's id has the bytes of its intent's id
 */
export function isAmong(column: Column, name: string, form: Column = column): SQL {
  // The statement gives the values in place of the placeholder.
  const mapToDriverValue = (values: unknown) =>
    (values as readonly unknown[]).map((value) => form.mapToDriverValue(value));
  const list = sql.param<Placeholder, unknown>(sql.placeholder(name), { mapToDriverValue });
  return sql`${column} = any(${list}::${sql.raw(column.getSQLType())}[])`;
}
