// Builds the statements that add copies of a template's rows. The copies have different ids, hashes and positions, an
// earlier time and a final block.
import { quoted, type Row, type Table, type Template, tokensIn } from "./templates.ts";

/** A range of copy numbers: `count` numbers, starting at `first`. */
export type Slice = {
  first: number;
  count: number;
  /** The age of the first copy in seconds, and the decrease for each later one. */
  age: number;
  step: number;
  block: number;
};

/** The first position of the slice in each table, by table name. */
export type Positions = Map<string, number>;

/** The signer of the historical transactions, whose key has since been rotated. */
const EARLIER_SIGNER = `0x${"0e".repeat(20)}`;
const BLOCK = /(^|_)block(_number)?$/;
const TEXTS = /^(text|jsonb|character varying|bytea)/;
const NUMBERS = /^(numeric|bigint)/;
/** The smallest number treated as a time in Unix seconds. A value later than now is a deadline and is kept. */
const EARLIEST_S = 1_600_000_000;

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Returns an SQL expression for the value that replaces a token in copy `n`, with the same length and format. */
function another(token: string, { tokens: [order = ""] }: Template): string {
  // One transaction may settle the orders of two templates, but the copies of each template need their own.
  const seed = token + order.slice(0, 8);
  const hash = `md5('${seed}' || n)`;
  if (token.length === 64) return `(${hash} || md5(n || '${seed}'))`;
  return token.length === 32 ? hash : `${hash}::uuid::text`;
}

function textExpression(value: string, type: string, template: Template): string {
  const own = [...new Set(tokensIn(value))].filter((token) => template.tokens.includes(token));
  const text = own.reduce(
    (inner, token) => `replace(${inner}, '${token}', ${another(token, template)})`,
    literal(value),
  );
  return `(${text})::${type}`;
}

type CopyPosition = { table: Table; row: Row; rank: number; template: Template };

const countRows = (template: Template, table: string): number =>
  [...template.rows].find(([{ name }]) => name === table)?.[1].length ?? 0;

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
  const { name, type, identity } = column;
  if (value === null || value === undefined) return `null::${type}`;
  const at = (owner: string, nth: number) =>
    `(${positions.get(owner) ?? 1} + (n - ${slice.first}) * ${countRows(template, owner)} + ${nth})::${type}`;
  if (identity !== "") return at(table.name, rank);
  if (name === "nonce") return at(table.name, rank);
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
  for (const [table, rows] of template.rows) {
    const names = table.columns.map(({ name }) => `"${name}"`).join(", ");
    for (const [rank, row] of rows.entries()) {
      const place = { table, row, rank, template };
      const values = table.columns.map((_, index) => expression(place, index, slice, positions, now));
      yield `insert into ${quoted(table)} (${names}) overriding system value select ${values.join(", ")}
        from generate_series(${slice.first}, ${slice.first + slice.count - 1}) n`;
    }
  }
}

/** Reserves the slice's positions, so that the next slice gets later ones. */
export function advance(template: Template, { count }: Slice, positions: Positions): void {
  for (const [{ name }, rows] of template.rows) {
    const next = positions.get(name);
    if (next !== undefined) positions.set(name, next + count * rows.length);
  }
}
