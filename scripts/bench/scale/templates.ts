// Reads the rows of a payment that the service itself has processed, from every table, as the template for synthetic
// history. Tables and columns come from the catalog, so that a schema change requires no change here.
import type { Client } from "pg";

/**
 * Tables that are not part of a payment's history: settings, counters, and rows that are deleted after a day or once a
 * block is final.
 */
const LEFT_OUT =
  /^(audit_seal|idempotency_key|rate_limit|deployment|tracked_order|signer|merchant|api_key|webhook_endpoint|reconciliation|ledger_balance|_.*)$/;
/** Tables whose ids do not belong to a single payment. */
const OTHERS = ["merchant", "api_key", "webhook_endpoint"];

export type Column = {
  name: string;
  type: string;
  /** Part of a unique key. */
  unique: boolean;
  /** The sequence that numbers the rows, which other tables may share; null if none does. */
  counter: string | null;
};

export type Table = { schema: string; name: string; columns: Column[] };

/** Values as text, in the order of the table's columns. */
export type Row = (string | null)[];

export type Template = {
  kind: string;
  open: boolean;
  /** The kind's share of the open or of the completed payments, as a weight. */
  share: number;
  /** The values that differ in each copy: ids and hashes, without prefixes and dashes. */
  tokens: string[];
  rows: Map<Table, Row[]>;
  /** When the rows were read, just after the payment was processed, in Unix seconds. */
  readAt: number;
};

const TOKEN =
  /(?<![0-9a-f])(?:[0-9a-f]{64}|[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?![0-9a-f])/g;

/** The tokens of a text as it contains them: a UUID with dashes or without. */
export const tokensIn = (text: string): string[] => text.match(TOKEN) ?? [];

/** An id is a UUID with dashes in its own column, and without in texts. */
export const withoutDashes = (token: string): string => token.replaceAll("-", "");

export const quoted = ({ schema, name }: Pick<Table, "schema" | "name">): string => `"${schema}"."${name}"`;

/** @returns the schema of the tables behind the indexer's views */
async function chainSchema(client: Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select table_schema as name from information_schema.tables
     where table_name = 'settlement_skip' and table_type = 'BASE TABLE'`,
  );
  const [only] = rows;
  if (!only || rows.length > 1) throw new Error(`${rows.length} indexers have tables here.`);
  return only.name;
}

/** Reads the tables that contain rows of payments. */
export async function readTables(client: Client): Promise<Table[]> {
  const schemas = ["gateway", "mock_bank", await chainSchema(client)];
  const { rows } = await client.query<{ schema: string; table: string } & Column>(
    `select n.nspname as schema, c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
       coalesce(pg_get_serial_sequence(format('%I.%I', n.nspname, c.relname), a.attname),
         substring(pg_get_expr(d.adbin, d.adrelid) from $$nextval\\('([^']+)'$$)) as counter,
       exists (select from pg_index i where i.indrelid = c.oid and i.indisunique and a.attnum = any(i.indkey)) as unique
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
     where n.nspname = any($1) and c.relkind in ('r', 'p') and not c.relispartition
       and a.attgenerated = '' and format_type(a.atttypid, null) <> 'xid8'
     order by 1, 2, a.attnum`,
    [schemas],
  );
  const tables = new Map<string, Table>();
  for (const { schema, table, ...column } of rows) {
    if (LEFT_OUT.test(table)) continue;
    const key = `${schema}.${table}`;
    const known = tables.get(key) ?? { schema, name: table, columns: [] };
    known.columns.push(column);
    tables.set(key, known);
  }
  return [...tables.values()];
}

async function readRows(client: Client, table: Table): Promise<Row[]> {
  const columns = table.columns.map(({ name }) => `"${name}"::text`).join(", ");
  const { rows } = await client.query({ text: `select ${columns} from ${quoted(table)}`, rowMode: "array" });
  return rows as Row[];
}

async function foreignTokens(client: Client): Promise<Set<string>> {
  const found = new Set<string>();
  for (const table of OTHERS) {
    const { rows } = await client.query<{ id: string }>(`select id::text from gateway.${table}`);
    for (const { id } of rows) for (const token of tokensIn(id)) found.add(withoutDashes(token));
  }
  return found;
}

export type Played = { kind: string; open: boolean; share: number; intentId: string; reference: string };

/**
 * Reads the rows of each of these payments. A row that refers to two of them (one transaction may settle both) belongs
 * to neither.
 */
export async function readTemplates(client: Client, played: Played[]): Promise<Template[]> {
  const tables = await readTables(client);
  const foreign = await foreignTokens(client);
  const readAt = Math.floor(Date.now() / 1_000);
  const known = new Map<Table, { row: Row; tokens: Set<string> }[]>();
  for (const table of tables) {
    const rows = await readRows(client, table);
    known.set(
      table,
      rows.map((row) => ({
        row,
        tokens: new Set(row.flatMap((value) => tokensIn(value ?? "")).map(withoutDashes)),
      })),
    );
  }
  const orders = new Set(played.map(({ intentId }) => intentId.slice("intent_".length)));
  return played.map(({ intentId, reference, ...kind }) => {
    const order = intentId.slice("intent_".length);
    const tokens = new Set([order, reference]);
    const rows = new Map<Table, Set<Row>>();
    const isOwn = (one: Set<string>) =>
      [...tokens].some((token) => one.has(token)) && ![...orders].some((id) => id !== order && one.has(id));
    for (let before = -1; before !== tokens.size; ) {
      before = tokens.size;
      for (const [table, all] of known) {
        for (const { row } of all.filter((one) => isOwn(one.tokens))) {
          rows.set(table, (rows.get(table) ?? new Set()).add(row));
          for (const [index, { unique }] of table.columns.entries()) {
            if (!unique) continue;
            for (const token of tokensIn(row[index] ?? "").map(withoutDashes))
              if (!foreign.has(token)) tokens.add(token);
          }
        }
      }
    }
    return {
      ...kind,
      readAt,
      tokens: [...tokens],
      rows: new Map([...rows].map(([table, some]) => [table, [...some]])),
    };
  });
}
