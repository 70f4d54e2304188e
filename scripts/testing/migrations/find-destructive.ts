// Finds destructive statements of a migration: those that lose data, or fail or lock if the table has rows. Each needs
// a preceding comment `-- destructive: reason`.
import { encodeName, type Statement, splitStatements } from "./split-statements.ts";

export type Finding = { line: number; says: string };

const MARKER = /^--\s*destructive:\s*(.*)$/;
const NAME = '("[0-9A-Fa-f]*"|\\w+)';

/** ALTER TABLE actions that drop something without losing data. */
const HARMLESS_DROPS = /^DROP (CONSTRAINT|DEFAULT|NOT NULL|IDENTITY|EXPRESSION)\b/;

const normalized = (name: string) =>
  name.startsWith('"') ? name.toLowerCase() : encodeName(name.toLowerCase());

/** Parses the table and the actions of `ALTER TABLE t a, b`. */
function parseActions(text: string): { table: string; actions: string[] } | undefined {
  const match = new RegExp(
    `^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?${NAME}(?:\\s*\\.\\s*${NAME})?\\s*\\*? (.*)$`,
  ).exec(text);
  if (!match) return undefined;
  const [, first = "", second, rest = ""] = match;
  const actions = [""];
  let depth = 0;
  for (const char of rest) {
    if (char === "(") depth++;
    if (char === ")") depth--;
    if (char === "," && depth === 0) actions.push("");
    else actions[actions.length - 1] += char;
  }
  return { table: normalized(second ?? first), actions: actions.map((action) => action.trim()) };
}

const hasValue = (definition: string) =>
  /\b(DEFAULT|GENERATED|SERIAL|BIGSERIAL|SMALLSERIAL)\b/.test(definition);

/** Describes why an action is destructive. `defaults` collects the columns that have received a default. */
function judgeAction(table: string, action: string, defaults: Set<string>): string | undefined {
  const added = new RegExp(`^ADD (?:COLUMN )?(?:IF NOT EXISTS )?${NAME} (.*)$`).exec(action);
  if (added && !/^ADD (CONSTRAINT|PRIMARY KEY|UNIQUE|CHECK|FOREIGN KEY|EXCLUDE)\b/.test(action)) {
    const [, column = "", definition = ""] = added;
    if (hasValue(definition)) defaults.add(`${table}.${normalized(column)}`);
    else if (/\bNOT NULL\b/.test(definition)) return "adds a column that is not null and has no default";
    return undefined;
  }
  if (action.startsWith("DROP ")) return HARMLESS_DROPS.test(action) ? undefined : "drops a column";
  const altered = new RegExp(`^ALTER (?:COLUMN )?${NAME} (.*)$`).exec(action);
  if (!altered) return undefined;
  const [, column = "", change = ""] = altered;
  const name = `${table}.${normalized(column)}`;
  if (change.startsWith("SET DEFAULT")) defaults.add(name);
  if (/^(SET DATA )?TYPE\b/.test(change)) return "changes a column's type";
  if (change.startsWith("SET NOT NULL") && !defaults.has(name))
    return "makes a column not null without a default in this migration";
  return undefined;
}

function judge({ text: spaced, bodies }: Statement, defaults: Set<string>): string | undefined {
  const text = spaced.replace(/\s+/g, " ");
  const dropped = /^DROP (TABLE|SCHEMA|SEQUENCE|TYPE|DOMAIN|MATERIALIZED VIEW|DATABASE|OWNED)\b/.exec(text);
  if (dropped) return `drops a ${dropped[1]?.toLowerCase()}`;
  if (/^TRUNCATE\b/.test(text)) return "truncates a table";
  if (/\bDELETE FROM\b|\bTHEN DELETE\b/.test(text)) return "deletes rows";
  // A function runs only when called, but a DO block runs immediately.
  if (/^DO\b/.test(text)) {
    const inside = bodies.flatMap((body) =>
      splitStatements(body.replace(/\b(BEGIN|THEN|ELSE|LOOP)\b/gi, ";")),
    );
    for (const statement of inside) {
      if (/^EXECUTE\b/.test(statement.text)) return "executes dynamic SQL, which cannot be checked";
      const says = judge(statement, defaults);
      if (says) return says;
    }
    return undefined;
  }
  const altered = parseActions(text);
  if (!altered) return undefined;
  for (const action of altered.actions) {
    const says = judgeAction(altered.table, action, defaults);
    if (says) return says;
  }
  return undefined;
}

/** @returns destructive statements without a marker, and markers without a reason or a destructive statement */
export function findDestructive(sql: string): Finding[] {
  const defaults = new Set<string>();
  return splitStatements(sql).flatMap((statement) => {
    const says = judge(statement, defaults);
    const [marker] = statement.comments.flatMap((comment) => MARKER.exec(comment) ?? []).slice(1);
    const { line } = statement;
    if (says && marker === undefined)
      return [{ line, says: `${says}, without a preceding "-- destructive: reason"` }];
    if (marker === "") return [{ line, says: "a marker without a reason" }];
    if (!says && marker !== undefined) return [{ line, says: "a marker without a destructive statement" }];
    return [];
  });
}
