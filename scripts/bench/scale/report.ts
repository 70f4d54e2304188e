// Reports the results side by side for each size, and whether the thresholds are met.
import { say, verdict } from "../shared/report.ts";
import type { Measured } from "./run.ts";
import { type Comparison, compare } from "./statements.ts";

/**
 * Limits for large tables (the factor by which a payment's wait may grow), for a payment's life (statements, commits,
 * bytes) and for an idle gateway (transactions per second, with one and with two settlement processes). docs/scale.md
 * lists the thresholds that are met.
 */
const BARS = {
  waits: 1.5,
  life: { statements: 120, commits: 50, wal: 70_000, stored: 25_000 },
  idle: { one: 15, two: 20 },
};
/** Two medians count as equal below this difference in milliseconds: the polling interval plus the timer resolution. */
const NOISE_MS = 20;
/** Number of statements to list: those that miss a threshold, then the largest of the others. */
const LISTED = 25;

/** Prints aligned columns; the first is text, the others are numbers. */
function table(head: string[], rows: string[][]): void {
  const widths = head.map((title, index) =>
    Math.max(title.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  for (const row of [head, ...rows]) {
    console.log(
      row
        .map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)))
        .join("  "),
    );
  }
}

const number = (value: number, digits = 0): string => (Number.isNaN(value) ? "-" : value.toFixed(digits));

/** @returns whether every statement meets the thresholds */
function reportStatements(few: Measured, many: Measured, when: "fresh" | "churned"): boolean {
  const compared = compare(few.statements.fresh, many.statements[when]);
  const missed = compared.filter(({ problem }) => problem !== null);
  const others = compared
    .filter(({ problem }) => problem === null)
    .slice(0, Math.max(0, LISTED - missed.length));
  console.log(
    `\nPages per call, ${when === "fresh" ? "after VACUUM ANALYZE" : "after churn"}: ${missed.length} of ${compared.length} statements miss a bar`,
  );
  table(
    ["statement", few.name, many.name, "rows per call", "calls", `ms ${few.name}`, `ms ${many.name}`, "bar"],
    [...missed, ...others].map(({ role, name, pages, ms, many: counts, problem }: Comparison) => [
      `${role}: ${name}`,
      number(pages.few, 1),
      number(pages.many, 1),
      number(counts.rows / counts.calls, 1),
      number(counts.calls),
      number(ms.few, 2),
      number(ms.many, 2),
      problem === null ? "met" : `MISSED: ${problem}`,
    ]),
  );
  return missed.length === 0;
}

function reportWaits(empty: Measured, many: Measured): boolean {
  const names = {
    settled: "release to settlement sent",
    planned: "confirmed to payout row",
    shown: "transaction to API",
  };
  return (Object.keys(names) as (keyof typeof names)[])
    .map((key) => {
      const [before, after] = [empty.waits[key], many.waits[key]];
      const met = after <= BARS.waits * before || after - before < NOISE_MS;
      say(
        "latency",
        `${many.name}: ${names[key]}: ${after.toFixed(0)} ms against ${before.toFixed(0)} ms empty, bar ${BARS.waits} times: ${verdict(met)}`,
      );
      return met;
    })
    .every(Boolean);
}

function reportLife({ name, life }: Measured): boolean {
  const { statements, commits, wal, stored } = BARS.life;
  const parts: [string, number, number, (value: number) => string][] = [
    ["statements", life.statements, statements, (value) => value.toFixed(0)],
    ["commits", life.commits, commits, (value) => value.toFixed(0)],
    ["WAL", life.wal, wal, (value) => `${(value / 1_000).toFixed(0)} KB`],
    ["stored", life.stored, stored, (value) => `${(value / 1_000).toFixed(1)} KB`],
  ];
  return parts
    .map(([what, value, bar, show]) => {
      // On an empty database, a single row may occupy a page.
      if (what === "stored" && name === "empty") return true;
      say("life", `${name}: ${what} ${show(value)}, bar ${show(bar)}: ${verdict(value <= bar)}`);
      return value <= bar;
    })
    .every(Boolean);
}

/** The breakdown of a payment's life: the largest parts of its storage and of its WAL. */
function reportParts({ name, life }: Measured): void {
  console.log(`\nStorage per payment, ${name}`);
  table(
    ["table or index", "rows", "bytes"],
    life.storedParts.slice(0, LISTED).map((one) => [one.name, number(one.rows, 1), number(one.bytes)]),
  );
  console.log(`\nWAL per payment, ${name}, including idle work`);
  table(
    ["statement", "calls", "bytes of WAL"],
    life.parts.slice(0, LISTED).map((one) => [one.name, number(one.calls, 1), number(one.wal)]),
  );
}

function reportIdle({ name, idle, idleOfTwo }: Measured): boolean {
  const [one, two] = [idle.rate.commits, idleOfTwo.rate.commits];
  const met = one <= BARS.idle.one && two <= BARS.idle.two;
  say(
    "idle",
    `${name}: ${one.toFixed(0)} transactions/s, with two settlement processes ${two.toFixed(0)}; bars ${BARS.idle.one} and ${BARS.idle.two}: ${verdict(met)}`,
  );
  return met;
}

const buildRows = (compared: Comparison[]) =>
  compared.map(({ role, name, text, pages, ms, many, problem }) => ({
    statement: `${role}: ${name}`,
    // The text identifies the statement for readers; the name suffices if the threshold is met.
    ...(problem === null ? {} : { text }),
    pages,
    ms,
    calls: many.calls,
    rows: many.rows,
    problem,
  }));

type Pair = { few: Measured; many: Measured };

const openShare = ({ size }: Measured): number => size.open / size.payments;

/**
 * Pairs the sizes to compare: each size with the smallest, or with the previous size if the share of open payments more
 * than doubled; a single size with the empty database.
 */
function buildPairs([empty, smallest, ...larger]: readonly Measured[]): Pair[] {
  if (!empty || !smallest) throw new Error("There are no measurements.");
  if (larger.length === 0) return [{ few: empty, many: smallest }];
  return larger.map((many, index) => {
    const before = larger[index - 1] ?? smallest;
    return { few: openShare(many) > 2 * openShare(before) ? before : smallest, many };
  });
}

/** Prints the tables and one line of JSON. @returns whether every threshold was met */
export function report(all: readonly Measured[]): boolean {
  const pairs = buildPairs(all);
  const [empty, ...filled] = all;
  if (!empty) throw new Error("There are no measurements.");
  const met = pairs.flatMap(({ few, many }) => [
    reportStatements(few, many, "fresh"),
    reportStatements(few, many, "churned"),
  ]);
  const [smallest] = filled;
  if (smallest) reportParts(smallest);
  console.log("");
  for (const size of all) met.push(reportLife(size));
  for (const size of all) met.push(reportIdle(size));
  for (const size of filled) met.push(reportWaits(empty, size));
  for (const { name, done, bytes, size } of all) {
    const complete = done.fresh === done.wanted && done.churned === done.wanted;
    say(
      "due work",
      `${name} (${size.payments} payments, ${size.open} open, ${(bytes / 2 ** 30).toFixed(2)} GB): ${done.fresh} of ${done.wanted} payments done, ` +
        `${done.churned} after churn: ${verdict(complete)}`,
    );
    met.push(complete);
  }
  const passed = met.every(Boolean);
  const sizes = all.map(({ statements: _, idle, idleOfTwo, ...one }) => ({
    ...one,
    idle: idle.rate,
    idleOfTwo: idleOfTwo.rate,
  }));
  const statements = pairs.map(({ few, many }) => ({
    few: few.name,
    many: many.name,
    fresh: buildRows(compare(few.statements.fresh, many.statements.fresh)),
    churned: buildRows(compare(few.statements.fresh, many.statements.churned)),
  }));
  console.log(JSON.stringify({ bench: "scale", met: passed, sizes, statements }));
  return passed;
}
