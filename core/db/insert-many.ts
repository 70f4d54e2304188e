// Many rows as one parameter of a statement. Its text is the same for any number of rows, and costs nothing to build:
// with a parameter for each value, half of the time of a busy insert goes into writing the statement.
import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";

/** The values of rows as JSON holds them: PostgreSQL reads a column of any type from a string. */
const toJson = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value));

/**
 * `insert into table (…) select … from rows`, to be executed or to be part of a statement. Columns that are not named
 * keep their default; a value that is undefined is null.
 * @param names the columns to write, as the schema's object names them
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
  const into = sql.raw(
    `insert into "${schema}"."${name}" (${columns}) select ${values} from json_to_recordset(`,
  );
  const end = sql.raw(`::json) as given (${typed})`);
  return (rows) => sql`${into}${toJson(rows)}${end}`;
}
