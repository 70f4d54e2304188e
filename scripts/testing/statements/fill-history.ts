// Fills every table with rows of which few are open, to obtain realistic statistics for plans. The tables are read from
// the catalog, so new tables need no registration. The rows are meaningless and refer to nothing.
import type { Client } from "pg";

/** One in this many rows is open. */
const OPEN = 10;

interface Table {
  schema: string;
  name: string;
  columns: Column[];
  /** Conditions of the table's partial indexes. */
  conditions: string[];
}

type Words = ReadonlyMap<string, readonly string[]>;

interface Column {
  name: string;
  type: string;
  kind: string;
  notNull: boolean;
  unique: boolean;
}

/**
 * @param words values of text columns in open rows, by column name
 * @param leaveOut tables to leave unchanged, because they are small by nature
 * @param rows number of rows per table; fewer if a unique index prevents it
 */
export async function fillHistory(
  client: Client,
  options: {
    schemas: readonly string[];
    leaveOut(table: string): boolean;
    rows: number;
    words?: (table: string) => Words;
  },
): Promise<void> {
  const { schemas, leaveOut, rows, words = () => new Map() } = options;
  const tables = (await loadTables(client, schemas)).filter(({ name }) => !leaveOut(name));
  // Disables foreign keys and triggers.
  await client.query("set session_replication_role = replica; set client_min_messages = warning");
  for (const table of tables) {
    const name = `${client.escapeIdentifier(table.schema)}.${client.escapeIdentifier(table.name)}`;
    await dropConstraints(client, name);
    const values = table.columns.map((column) => buildExpression(column, table, words(table.name)));
    const columns = table.columns.map((column) => client.escapeIdentifier(column.name));
    await client.query(
      `insert into ${name} (${columns}) overriding system value
       select ${values} from generate_series(1, ${rows}) n on conflict do nothing`,
    );
  }
  await client.query("reset session_replication_role");
  await client.query("vacuum analyze");
}

async function loadTables(client: Client, schemas: readonly string[]): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select n.nspname as schema, c.relname as name,
       (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, null), 'kind', t.typtype,
          'notNull', a.attnotnull, 'unique', exists (select from pg_index i where i.indrelid = c.oid and i.indisunique
            and i.indnkeyatts = 1 and i.indkey[0] = a.attnum and i.indpred is null)) order by a.attnum)
        from pg_attribute a join pg_type t on t.oid = a.atttypid
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
       array(select pg_get_expr(i.indpred, i.indrelid) from pg_index i
         where i.indrelid = c.oid and i.indpred is not null) as conditions
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and not c.relispartition and n.nspname = any($1)`,
    [schemas],
  );
  return rows;
}

/** Drops constraints that meaningless values would violate. */
async function dropConstraints(client: Client, table: string): Promise<void> {
  const { rows } = await client.query<{ action: string }>(
    `select format('drop constraint %I', conname) as action from pg_constraint
     where conrelid = $1::regclass and contype = 'c'
     union all select format('alter column %I drop not null', attname) from pg_attribute
     where attrelid = $1::regclass and attgenerated <> '' and attnotnull`,
    [table],
  );
  if (rows.length > 0) await client.query(`alter table ${table} ${rows.map(({ action }) => action)}`);
}

/** Builds an SQL expression of `n`, the row's number. */
function buildExpression(column: Column, table: Table, words: Words): string {
  const { type } = column;
  const { conditions } = table;
  const closed = (ended: string, open: string) => `case when n % ${OPEN} = 0 then ${open} else ${ended} end`;
  if (column.kind === "e") return `(enum_range(null::${type}))[array_length(enum_range(null::${type}), 1)]`;
  if (type.endsWith("[]") || column.kind === "m") return `'{}'::${type}`;
  if (type.startsWith("json")) return `jsonb_build_object('n', n)::${type}`;
  if (type === "bytea") {
    const digits = isOfOwner(column, table) ? `md5((n % ${OWNERS})::text)` : digitsFor(column);
    return `decode(${digits}, 'hex')`;
  }
  if (type === "xid8") return "n::text::xid8";
  if (type === "uuid") return `${digitsFor(column)}::uuid`;
  if (type === "boolean") {
    const ended = conditions.some((condition) => new RegExp(`NOT "?${column.name}\\b`).test(condition));
    return closed(String(ended), String(!ended));
  }
  if (type.startsWith("timestamp") || type === "date") {
    const moment = `(now() - n * interval '1 minute')::${type}`;
    if (column.notNull) return moment;
    // If a partial index requires the timestamp, only open rows have one.
    const ahead = conditions.some((condition) =>
      new RegExp(`\\b${column.name}"? IS NOT NULL`).test(condition),
    );
    return ahead ? closed("null", moment) : closed(moment, "null");
  }
  if (type === "interval") return "interval '1 minute'";
  if (column.name === "deployment_id") return "1";
  if (type === "integer" || type === "smallint") {
    return column.unique ? "n" : closed(`${terminal(column, conditions) ?? 9}`, "n % 5");
  }
  if (type === "bigint") return "n";
  if (type === "numeric" || type === "double precision") {
    // Block numbers, times and sequences increase with the row's number.
    const counted = /block|_at$|deadline|until|sequence|number/.test(column.name);
    return counted || column.unique ? "n" : closed("100", "n");
  }
  return buildText(column, table, words);
}

/** An id is unique, even if the key has another column. Columns that refer to another table have two rows per value. */
const digitsFor = ({ name, unique }: Column): string =>
  unique || name === "id" ? "md5(n::text)" : "md5((n / 2)::text)";

/** Number of owners of many rows, such as merchants. */
const OWNERS = 10;

/** Tables in which a merchant has few rows, regardless of its number of payments. */
const FEW_FOR_EACH_OWNER = /^(webhook_endpoint|api_key|dashboard_\w+)$/;

/** Whether the column contains the owner of many rows. */
const isOfOwner = ({ name, unique }: Column, table: Table): boolean =>
  !unique &&
  !FEW_FOR_EACH_OWNER.test(table.name) &&
  /^(merchant_id|account|payee|operator|signer|off_ramp|token|provider|arbiter)$/.test(name);

function buildText(column: Column, table: Table, words: Words): string {
  const { name } = column;
  if (column.unique || name === "id") return digitsFor(column);
  if (isOfOwner(column, table)) return `'${name}_' || n % ${OWNERS}`;
  if (/(^|_)(id|hash|key|uri|payer|salt|raw|data|checkpoint|subject)$/.test(name)) return digitsFor(column);
  const ended = terminal(column, table.conditions);
  const open = (words.get(name) ?? []).filter((word) => word !== ended);
  const one =
    open.length === 0
      ? `'${name}_' || n % 5`
      : `(array['${open.join("', '")}'])[1 + n / ${OPEN} % ${open.length}]`;
  return `case when n % ${OPEN} = 0 then ${one} else '${ended ?? "closed"}' end`;
}

/** Returns the value of most rows: one that excludes the row from a partial index. */
function terminal({ name }: Column, conditions: readonly string[]): string | undefined {
  for (const condition of conditions) {
    const excluded = new RegExp(`\\b${name}"?\\)?(?:::text)? <> (?:ALL )?\\(?(?:ARRAY\\[)?'?(\\w+)`).exec(
      condition,
    );
    if (excluded) return excluded[1];
    const above = new RegExp(`\\b${name}"? > (\\d+)`).exec(condition);
    if (above) return above[1];
  }
  return undefined;
}
