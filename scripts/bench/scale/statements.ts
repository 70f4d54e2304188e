// Reads the cost of each statement from pg_stat_statements, by the process that sent it and by its text without
// constants.
import type { Client } from "pg";
import { ROLES } from "./measured-gateway.ts";

export type Role = (typeof ROLES)[number];

export type Counts = { calls: number; rows: number; pages: number; ms: number };

export type Statement = Counts & { role: Role; name: string; text: string; wal: number };

/** Statements by role and hash of their text. */
export type Statements = Map<string, Statement>;

/** Transaction control, settings and LISTEN, which read nothing. */
const CONTROL =
  /^(begin|commit|rollback|set |listen|unlisten|discard|deallocate|start transaction|savepoint|release)/i;

const isControl = ({ name }: Pick<Statement, "name">): boolean => CONTROL.test(name);

export const resetStatements = (client: Client): Promise<unknown> =>
  client.query("select pg_stat_statements_reset()");

/**
 * Removes the numbers of parameters and collapses rows of VALUES into one, so that a batch of any size is the same
 * statement.
 */
const normalise = (text: string): string =>
  text
    .replaceAll('"', "")
    .replace(/--.*$/gm, "")
    .replace(/\s+/g, " ")
    .replace(/\$\d+/g, "$")
    .replace(/(\((?:[^()]|\([^()]*\))*\))(?:, ?\1)+/g, "$1")
    .trim();

const computeHash = (text: string): string => new Bun.CryptoHasher("sha1").update(text).digest("hex");

/** Names a statement for readers: by its leading comment, or else by its verb and its first relations. */
export function nameStatement(text: string): string {
  const [, comment] = /^\s*\/\*\s*(.*?)\s*\*\//s.exec(text) ?? [];
  if (comment) return comment;
  const plain = normalise(text);
  if (CONTROL.test(plain)) return plain.slice(0, 40).toLowerCase();
  const verbs = plain.match(/\b(insert into|update|delete from|select|copy|notify|with)\b/gi) ?? [];
  const verb = verbs.find((one) => /insert|update|delete|copy/i.test(one)) ?? verbs[0] ?? plain.split(" ")[0];
  const relations = plain.match(/\b(?:gateway|chain\w*|pgboss\w*|mock_bank|ponder_sync)\.\w+/g) ?? [];
  const first = [...new Set(relations.map((name) => name.replace(/^(gateway|chain_\w+)\./, "")))].slice(0, 3);
  const [shortVerb = ""] = (verb ?? "").toLowerCase().split(" ");
  return `${shortVerb} ${first.length > 0 ? first.join(", ") : plain.slice(0, 32)} #${computeHash(plain).slice(0, 4)}`;
}

export async function readStatements(client: Client): Promise<Statements> {
  const { rows } = await client.query<Counts & { role: string; query: string; wal: number }>(
    `select r.rolname as role, s.query, s.calls::float8, s.rows::float8,
       (s.shared_blks_hit + s.shared_blks_read)::float8 as pages, s.total_exec_time as ms, s.wal_bytes::float8 as wal
     from pg_stat_statements s join pg_roles r on r.oid = s.userid
     where s.dbid = (select oid from pg_database where datname = current_database())
       and r.rolname = any($1) and s.toplevel`,
    [ROLES.map((role) => `bench_${role}`)],
  );
  const found: Statements = new Map();
  for (const { role: login, query, calls, rows: count, pages, ms, wal } of rows) {
    const role = login.replace("bench_", "") as Role;
    const text = normalise(query);
    const key = `${role} ${computeHash(text)}`;
    const known = found.get(key) ?? {
      role,
      text,
      name: nameStatement(query),
      calls: 0,
      rows: 0,
      pages: 0,
      ms: 0,
      wal: 0,
    };
    found.set(key, {
      ...known,
      calls: known.calls + calls,
      rows: known.rows + count,
      pages: known.pages + pages,
      ms: known.ms + ms,
      wal: known.wal + wal,
    });
  }
  return found;
}

/** The number of statements that a role sent, excluding transaction control. */
export function sent(statements: Statements, roles: readonly Role[]): number {
  let calls = 0;
  for (const one of statements.values()) {
    if (roles.includes(one.role) && !isControl(one)) calls += one.calls;
  }
  return calls;
}

const perCall = ({ pages, calls }: Counts): number => pages / calls;
const perRow = ({ pages, rows }: Counts): number => pages / rows;

/** The thresholds for a frequent statement. */
const BARS = { ratio: 1.5, pagesARow: 3, pages: 2_000 };

export type Comparison = {
  role: Role;
  name: string;
  text: string;
  few: Counts;
  many: Counts;
  /** Pages per call. */
  pages: { few: number; many: number };
  ms: { few: number; many: number };
  problem: string | null;
};

/**
 * Returns null if a statement's cost stays constant as payments increase: pages per call (or per row, if batches
 * differ) grow at most by a factor of 1.5, or by at most 3 per row claimed or returned (counted as one row if there is
 * none).
 */
function findProblem(few: Counts, many: Counts): string | null {
  const [before, after] = [perCall(few), perCall(many)];
  if (after > BARS.pages) return `over ${BARS.pages} pages`;
  if (after <= BARS.ratio * before) return null;
  if (few.rows > 0 && many.rows > 0 && perRow(many) <= BARS.ratio * perRow(few)) return null;
  if (after - before <= BARS.pagesARow * Math.max(1, many.rows / many.calls)) return null;
  return `${(after / Math.max(1, before)).toFixed(1)} times the pages`;
}

/** @returns the statements that ran at both sizes or exceed the page limit, by pages in descending order */
export function compare(few: Statements, many: Statements): Comparison[] {
  const found = [...many].flatMap(([key, after]): Comparison[] => {
    const before = few.get(key);
    if (isControl(after) || after.calls === 0) return [];
    const base = before ?? { calls: 0, rows: 0, pages: 0, ms: 0 };
    if (base.calls === 0 && perCall(after) <= BARS.pages) return [];
    return [
      {
        role: after.role,
        name: after.name,
        text: after.text,
        few: base,
        many: after,
        pages: { few: base.calls === 0 ? Number.NaN : perCall(base), many: perCall(after) },
        ms: { few: base.calls === 0 ? Number.NaN : base.ms / base.calls, many: after.ms / after.calls },
        problem: base.calls === 0 ? `over ${BARS.pages} pages` : findProblem(base, after),
      },
    ];
  });
  return found.toSorted((a, b) => b.pages.many - a.pages.many);
}
