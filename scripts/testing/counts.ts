// How many passed and how many failed, read from what the test tools say.

export interface Counts {
  passed: number;
  failed: number;
  /** What failed, in the tool's own words: for the end of the run, where it is looked for. */
  failures?: readonly string[];
}

/**
 * What Bun printed of failed tests: the errors, and then the names, which it repeats at its end; its last lines if it ended
 * badly without them (a crash).
 */
export function failuresOfBun(output: string, exitCode: number): string[] {
  const [results = "", names] = output.split(/^\d+ tests? failed:$/m);
  if (names === undefined) return exitCode === 0 ? [] : [lastLines(output)];
  // An error is printed before the next result of its file, its own or a later one's.
  const errors = results
    .split(/^\((?:pass|fail|skip|todo)\) .*$|^\S+\.test\.tsx?:$/m)
    .filter((text) => /^error: /m.test(text));
  return [...errors.map(lastLines), (names.split("\n\n")[0] ?? "").trim()];
}

/** As much of a text as one reads at the end of a run. */
export function lastLines(text: string): string {
  return text.trim().split("\n").slice(-LINES_OF_A_FAILURE).join("\n");
}

const LINES_OF_A_FAILURE = 40;

/** The totals of a JUnit report, e.g. Bun's. A skipped test is neither passed nor failed. */
export function countsOfJunit(xml: string): Counts {
  const totals = /<testsuites\b[^>]*>/.exec(xml)?.[0];
  if (!totals) throw new Error("The JUnit report has no totals.");
  const number = (name: string) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(totals)?.[1] ?? 0);
  const failed = number("failures") + number("errors");
  return { passed: number("tests") - failed - number("skipped"), failed };
}

/** The totals that Hardhat prints under its Solidity tests. */
export function countsOfHardhat(output: string): Counts {
  const plain = Bun.stripANSI(output);
  const number = (word: string) => Number(new RegExp(`^\\s*(\\d+) ${word}`, "m").exec(plain)?.[1] ?? 0);
  if (!/^\s*\d+ passing/m.test(plain)) throw new Error("Hardhat printed no totals.");
  return { passed: number("passing"), failed: number("failing") };
}

/**
 * One check for each file in Hardhat's coverage report: every line and every statement was run. The files that must be
 * there are named, because a report that leaves one out says nothing about it.
 */
export function countsOfCoverage(output: string, files: readonly string[]): Counts {
  const rows = [...Bun.stripANSI(output).matchAll(/^║ (\S+\.sol) +│ +([\d.]+) +│ +([\d.]+) +│/gm)];
  const full = new Map(
    rows.map(([, file = "", lines, statements]) => [file, lines === "100.00" && statements === "100.00"]),
  );
  const all = [...new Set([...files, ...full.keys()])];
  const passed = all.filter((file) => full.get(file)).length;
  return { passed, failed: all.length - passed };
}

/**
 * A run that ended badly has failed somewhere, even if no test says so (an error between tests, a crash); and a run
 * that found no tests has not looked in the right place.
 */
export function withExitCode(counts: Counts, exitCode: number): Counts {
  const ran = counts.passed + counts.failed > 0;
  return (exitCode !== 0 || !ran) && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

export function sum(all: readonly Counts[]): Counts {
  return {
    passed: all.reduce((total, { passed }) => total + passed, 0),
    failed: all.reduce((total, { failed }) => total + failed, 0),
    failures: all.flatMap(({ failures = [] }) => failures),
  };
}
