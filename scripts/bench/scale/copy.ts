// Builds the statements that add copies of a template's rows. Each copy has its own ids, hashes, positions and nonces,
// earlier times (also in its time-ordered ids) and a final block. Times after now are deadlines and stay the same.
import { getTableName } from "drizzle-orm";
import { webhookAttempt, webhookDelivery } from "#core/db/schema/webhooks.ts";
import { RETENTION_RULES } from "#settlement/runtime/retention/rules.ts";
import {
  type Column,
  quoted,
  type Row,
  type Table,
  type Template,
  tokensIn,
  withoutDashes,
} from "./templates.ts";

/** The copies with the numbers `first` to `first + count - 1`. */
export type Slice = {
  first: number;
  count: number;
  /** Seconds by which the first copy is older than the template, and the decrease for each later copy. */
  age: number;
  step: number;
  /** The block of all copies of the slice. */
  block: number;
};

/** The next free number of each counter, by the counter's name: a sequence, or `nonce`. */
export type Positions = Map<string, number>;

/** Returns the column that numbers the rows of a table, and its counter: a sequence, or `nonce`. */
export function counterOf({ columns }: Table): { column: Column; counter: string } | undefined {
  for (const column of columns) {
    const counter = column.name === "nonce" ? "nonce" : column.counter;
    if (counter !== null) return { column, counter };
  }
  return undefined;
}

/**
 * The signer of the copied transactions. It differs from the relayer's signer, whose next nonce depends on its highest
 * stored nonce (core/relayer/relayer.ts).
 */
const EARLIER_SIGNER = `\\x${"0e".repeat(20)}`;
const BLOCK = /(^|_)block(_number)?$/;
/** Types of columns that may contain tokens. */
const TOKEN_TYPES = /^(text|jsonb|character varying|bytea|uuid)/;
const NUMBERS = /^(numeric|bigint)/;
/** Numbers between this one and now in a column named `…_at` are times in Unix seconds, which copies shift. */
const EARLIEST_S = 1_600_000_000;

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Returns the SQL expression for the seconds by which copy `n` is older than the template. */
const ageOf = ({ age, first, step }: Slice): string => `(${age} - (n - ${first}) * ${step})`;

/** The fields of a UUIDv7 without dashes (RFC 9562): Unix milliseconds, version, random bits, variant, random bits. */
const UUID_V7 = /^([0-9a-f]{12})7[0-9a-f]{3}[89ab][0-9a-f]{15}$/;

/** Returns the time of a time-ordered id (core/ids.ts) in Unix milliseconds, or null if the token is another value. */
function timeOf(token: string): number | null {
  const [, digits] = UUID_V7.exec(token) ?? [];
  return digits === undefined ? null : Number.parseInt(digits, 16);
}

/**
 * Returns an SQL expression for the value that replaces a token in copy `n`, with the same length and format. The copy
 * of a time-ordered id has the copy's time: otherwise it would be inserted anywhere in its index, instead of at the end.
 */
function replacement(token: string, { tokens: [order = ""] }: Template, slice: Slice): string {
  const plain = withoutDashes(token);
  // Templates whose orders one transaction settles share its hash, so the seed contains the order: the copies of each
  // template have a transaction of their own.
  const seed = plain + order.slice(0, 8);
  const hash = `md5('${seed}' || n)`;
  if (plain.length === 64) return `(${hash} || md5(n || '${seed}'))`;
  const time = timeOf(plain);
  const value =
    time === null
      ? hash
      : `(encode(substr(int8send(${time} - round(${ageOf(slice)} * 1000.0)::bigint), 3), 'hex') || '7' || substr(${hash}, 1, 3)
          || '8' || substr(${hash}, 4, 15))`;
  return token.length === 32 ? value : `${value}::uuid::text`;
}

function textExpression(value: string, type: string, template: Template, slice: Slice): string {
  const own = [...new Set(tokensIn(value))].filter((token) => template.tokens.includes(withoutDashes(token)));
  const text = own.reduce(
    (inner, token) => `replace(${inner}, '${token}', ${replacement(token, template, slice)})`,
    literal(value),
  );
  return `(${text})::${type}`;
}

/** For how many seconds the service keeps a table's rows, by the table's name; rows of other tables are kept forever. */
const KEPT_S = new Map(
  RETENTION_RULES.flatMap(({ table, keptMs }) => {
    const tables = table === webhookDelivery ? [table, webhookAttempt] : [table];
    return tables.map((one) => [getTableName(one), keptMs / 1_000] as const);
  }),
);

/** No row expires during the benchmark: with more payments, more rows would, but the due work is the same at each size. */
const BENCHMARK_S = 6 * 3_600;

/** A row of a template. `rank` is its index, from 0, among the template's rows with the same counter. */
type TemplateRow = { table: Table; row: Row; rank: number; template: Template };

const countRows = ({ rows }: Template, counter: string): number =>
  [...rows].reduce(
    (sum, [table, { length }]) => sum + (counterOf(table)?.counter === counter ? length : 0),
    0,
  );

function expression(
  source: TemplateRow,
  index: number,
  slice: Slice,
  positions: Positions,
  now: number,
): string {
  const { table, row, rank, template } = source;
  const column = table.columns[index];
  const value = row[index];
  if (column === undefined) throw new Error("The column does not exist.");
  const { name, type } = column;
  if (value === null || value === undefined) return `null::${type}`;
  const counted = counterOf(table);
  if (counted?.column === column) {
    const { counter } = counted;
    return `(${positions.get(counter) ?? 1} + (n - ${slice.first}) * ${countRows(template, counter)} + ${rank})::${type}`;
  }
  if (name === "signer" && row[table.columns.findIndex((one) => one.name === "nonce")] != null)
    return `${literal(EARLIER_SIGNER)}::${type}`;
  if (BLOCK.test(name) && NUMBERS.test(type)) return `${slice.block}::${type}`;
  const secondsEarlier = ageOf(slice);
  if (type.startsWith("timestamp")) {
    if (Date.parse(value) / 1_000 > now) return `${literal(value)}::${type}`;
    return `${literal(value)}::${type} - ${secondsEarlier} * interval '1 second'`;
  }
  if (NUMBERS.test(type) && Number(value) > EARLIEST_S && Number(value) <= now && /_at$/.test(name))
    return `(${value} - round(${secondsEarlier}))::${type}`;
  if (TOKEN_TYPES.test(type)) return textExpression(value, type, template, slice);
  return `${literal(value)}::${type}`;
}

/**
 * Yields one statement for each row of a template, table by table. It inserts the slice's copies of the row, except for
 * those that the service would have deleted already, or would delete during the benchmark.
 * @param positions the first number of each counter that the slice uses
 * @param now in Unix seconds
 */
export function* copies(
  template: Template,
  slice: Slice,
  positions: Positions,
  now: number,
): Generator<string> {
  const ranks = new Map<string, number>();
  for (const [table, rows] of template.rows) {
    const names = table.columns.map(({ name }) => `"${name}"`).join(", ");
    const { counter = "" } = counterOf(table) ?? {};
    for (const row of rows) {
      const rank = ranks.get(counter) ?? 0;
      ranks.set(counter, rank + 1);
      const source = { table, row, rank, template };
      const values = table.columns.map((_, index) => expression(source, index, slice, positions, now));
      const keptS = KEPT_S.get(table.name);
      const oldestS = keptS === undefined ? undefined : keptS - BENCHMARK_S - (now - template.readAt);
      yield `insert into ${quoted(table)} (${names}) overriding system value select ${values.join(", ")}
        from generate_series(${slice.first}, ${slice.first + slice.count - 1}) n
        where ${oldestS === undefined ? true : `${ageOf(slice)} < ${oldestS}`}`;
    }
  }
}

/** Reserves the slice's positions, so that the next slice gets later ones. */
export function advance(template: Template, { count }: Slice, positions: Positions): void {
  for (const [counter, next] of positions)
    positions.set(counter, next + count * countRows(template, counter));
}
