// Passes many rows as one parameter of a statement. The text of the statement is the same for any number of rows and
// costs nothing to build. With one parameter per value, a busy insert spends half of its time on building the
// statement.
import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { toStoredForm } from "./stored-form.ts";

/** Serializes the rows as JSON. PostgreSQL parses a column of any type from a string. */
const toJson = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value));

/**
 * Builds `insert into table (…) select … from rows`, which is executed directly or as part of another statement.
 * Columns that are not named keep their default; undefined values become null.
 * @param names the columns to write, as named in the schema object
 */
export function insertMany<Table extends PgTable>(
  table: Table,
  names: readonly (keyof Table["$inferInsert"] & string)[],
): (rows: readonly Table["$inferInsert"][]) => SQL {
  const { schema, name } = getTableConfig(table);
  const types: Record<string, { getSQLType(): string }> = getTableColumns(table);
  const columns = names.map((column) => `"${toSnakeCase(column)}"`).join(", ");
  const typed = names.map((column) => `"${column}" ${types[column]?.getSQLType()}`).join(", ");
  const values = names.map((column) => `"${column}"`).join(", ");
  const store = toStoredForm(table);
  const into = sql.raw(
    `insert into "${schema}"."${name}" (${columns}) select ${values} from json_to_recordset(`,
  );
  const end = sql.raw(`::json) as given (${typed})`);
  return (rows) => sql`${into}${toJson(rows.map(store))}${end}`;
}
