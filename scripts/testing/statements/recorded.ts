// The SQL statements that a test run's processes have sent (record.preload.ts).
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The environment variable with the folder in which processes record their statements. */
export const RECORD_FOLDER = "RECORD_STATEMENTS";

export interface RecordedStatement {
  /** The connection's `application_name`; empty if it has none. */
  application: string;
  /** The script that the process runs, relative to the checkout. */
  script: string;
  text: string;
  /** Parameters whose values a plan may use, by number; none for connections that reuse generic plans. */
  constants: Record<number, string | boolean>;
}

/** Normalizes a statement: removes numbers, hashes and list lengths, which differ between executions. */
export function normalizeText(text: string): string {
  return text
    .replace(/\b(?:0x)?[0-9a-f]{16,}\b/gi, "#")
    .replace(/\$?\b\d+\b/g, "#")
    .replace(/#(?:\s*,\s*#)+/g, "#")
    .replace(/\((?:#|default)(?:, *(?:#|default))*\)(?:, *\((?:#|default)(?:, *(?:#|default))*\))*/g, "(#)")
    .replace(/\s+/g, " ")
    .trim();
}

/** Reads the distinct statements that were recorded in a folder. */
export function readRecorded(folder: string): RecordedStatement[] {
  const distinct = new Map<string, RecordedStatement>();
  for (const file of readdirSync(folder)) {
    for (const line of readFileSync(join(folder, file), "utf8").trim().split("\n")) {
      const statement = JSON.parse(line) as RecordedStatement;
      distinct.set(`${statement.application}\n${statement.script}\n${statement.text}`, statement);
    }
  }
  return [...distinct.values()];
}

/**
 * Returns the string values (states, kinds, purposes) that statements compare a table's columns with, by column name.
 */
export function comparedWords(
  statements: readonly RecordedStatement[],
  table: string,
): Map<string, string[]> {
  const words = new Map<string, Set<string>>();
  for (const { text } of statements) {
    // If a statement uses several tables, the table of a column is unknown.
    const tables = new Set([...text.matchAll(TABLE)].map(([, name]) => name));
    if (tables.size !== 1 || !tables.has(table)) continue;
    for (const [, column = "", list = ""] of text.matchAll(COMPARISON)) {
      const known = words.get(column) ?? new Set();
      for (const [word] of list.matchAll(/\w+/g)) known.add(word);
      words.set(column, known);
    }
  }
  return new Map([...words].map(([column, known]) => [column, [...known]]));
}

/** `state = 'open'`, `"state" not in ('open', 'closed')` */
const COMPARISON = /\b(\w+)"? (?:=|<>|in|not in) \(?((?:'\w+'(?:, ?)?)+)/g;

const TABLE = /\b(?:from|join|into|update) "?\w+"?\."?(\w+)/gi;
