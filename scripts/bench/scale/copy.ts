// Builds the statements that add copies of a template's rows. The copies have different ids, hashes and positions, an
// earlier time and a final block.
import {
  type Column,
  quoted,
  type Row,
  type Table,
  type Template,
  tokensIn,
  withoutDashes,
} from "./templates.ts";

/** A range of copy numbers: `count` numbers, starting at `first`. */
export type Slice = {
  first: number;
  count: number;
  /** The age of the first copy in seconds, and the decrease for each later one. */
  age: number;
  step: number;
  block: number;
};

/** The slice's first number of each counter, by the counter's name. */
export type Positions = Map<string, number>;

/** Returns what numbers the rows of a table: its sequence, or the nonces. */
export function counterOf({ columns }: Table): { column: Column; counter: string } | undefined {
  for (const column of columns) {
    const counter = column.name === "nonce" ? "nonce" : column.counter;
    if (counter !== null) return { column, counter };
  }
  return undefined;
}

/** The signer of the historical transactions, whose key has since been rotated. */
const EARLIER_SIGNER = `0x${"0e".repeat(20)}`;
const BLOCK = /(^|_)block(_number)?$/;
const TEXTS = /^(text|jsonb|character varying|bytea|uuid)/;
const NUMBERS = /^(numeric|bigint)/;
/** The smallest number treated as a time in Unix seconds. A value later than now is a deadline and is kept. */
const EARLIEST_S = 1_600_000_000;

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Returns an SQL expression for the value that replaces a token in copy `n`, with the same length and format. */
function another(token: string, { tokens: [order = ""] }: Template): string {
  // One transaction may settle the orders of two templates, but the copies of each template need their own.
  const seed = withoutDashes(token) + order.slice(0, 8);
  const hash = `md5('${seed}' || n)`;
  if (token.length === 64) return `(${hash} || md5(n || '${seed}'))`;
  return token.length === 32 ? hash : `${hash}::uuid::text`;
}

function textExpression(value: string, type: string, template: Template): string {
  const own = [...new Set(tokensIn(value))].filter((token) => template.tokens.includes(withoutDashes(token)));
  const text = own.reduce(
    (inner, token) => `replace(${inner}, '${token}', ${another(token, template)})`,
    literal(value),
  );
  return `(${text})::${type}`;
}

/** A row of a template. `rank` is its place among the rows with the same counter. */
type CopyPosition = { table: Table; row: Row; rank: number; template: Template };

const countRows = ({ rows }: Template, counter: string): number =>
  [...rows].reduce(
    (sum, [table, { length }]) => sum + (counterOf(table)?.counter === counter ? length : 0),
    0,
  );

function expression(
  place: CopyPosition,
  index: number,
  slice: Slice,
  positions: Positions,
  now: number,
): string {
  const { table, row, rank, template } = place;
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
    return literal(EARLIER_SIGNER);
  if (BLOCK.test(name) && NUMBERS.test(type)) return `${slice.block}::${type}`;
  const earlier = `(${slice.age} - (n - ${slice.first}) * ${slice.step})`;
  if (type.startsWith("timestamp")) {
    if (Date.parse(value) / 1_000 > now) return `${literal(value)}::${type}`;
    return `${literal(value)}::${type} - ${earlier} * interval '1 second'`;
  }
  if (NUMBERS.test(type) && Number(value) > EARLIEST_S && Number(value) <= now && /_at$/.test(name))
    return `(${value} - round(${earlier}))::${type}`;
  if (TEXTS.test(type)) return textExpression(value, type, template);
  return `${literal(value)}::${type}`;
}

/** Yields the statements that add one slice's copies of a template, table by table. */
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
      const place = { table, row, rank, template };
      const values = table.columns.map((_, index) => expression(place, index, slice, positions, now));
      yield `insert into ${quoted(table)} (${names}) overriding system value select ${values.join(", ")}
        from generate_series(${slice.first}, ${slice.first + slice.count - 1}) n`;
    }
  }
}

/** Reserves the slice's positions, so that the next slice gets later ones. */
export function advance(template: Template, { count }: Slice, positions: Positions): void {
  for (const [counter, next] of positions)
    positions.set(counter, next + count * countRows(template, counter));
}
