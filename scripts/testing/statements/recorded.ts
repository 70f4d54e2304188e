// The statements that the processes of a test run have sent (record.preload.ts).
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The environment variable that names the folder in which processes record their statements. */
export const RECORD_FOLDER = "RECORD_STATEMENTS";

export interface RecordedStatement {
  /** The connection's `application_name`; empty if it has none. */
  application: string;
  /** What the process runs, from the root of the checkout. */
  script: string;
  text: string;
  /** Parameters that a plan may know, by their number; none for connections whose plans are kept for all values. */
  constants: Record<number, string | boolean>;
}

/** A statement without what differs between executions: numbers, hashes, and how many values a list has. */
export function normalizeText(text: string): string {
  return text
    .replace(/\b(?:0x)?[0-9a-f]{16,}\b/gi, "#")
    .replace(/\$?\b\d+\b/g, "#")
    .replace(/#(?:\s*,\s*#)+/g, "#")
    .replace(/\((?:#|default)(?:, *(?:#|default))*\)(?:, *\((?:#|default)(?:, *(?:#|default))*\))*/g, "(#)")
    .replace(/\s+/g, " ")
    .trim();
}

/** The distinct statements that were recorded in a folder. */
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

/** The words that the statements about a table compare columns with, by the column's name: states, kinds, purposes. */
export function comparedWords(
  statements: readonly RecordedStatement[],
  table: string,
): Map<string, string[]> {
  const words = new Map<string, Set<string>>();
  for (const { text } of statements) {
    // Of several tables nobody knows whose column it is.
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
