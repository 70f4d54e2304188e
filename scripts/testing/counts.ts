// Reads the numbers of passed and failed tests from the test tools' output.

export interface Counts {
  passed: number;
  failed: number;
  /** The failures as the tool printed them, for the summary at the end of the run. */
  failures?: readonly string[];
}

/**
 * Extracts the failures from Bun's output: the errors, then the names of the failed tests, which Bun repeats at the
 * end; the last lines if Bun crashed without printing either.
 */
export function failuresOfBun(output: string, exitCode: number): string[] {
  const [results = "", names] = output.split(/^\d+ tests? failed:$/m);
  if (names === undefined) return exitCode === 0 ? [] : [lastLines(output)];
  // Bun prints an error before the next result of the file, which may belong to the same test or to a later one.
  const errors = results
    .split(/^\((?:pass|fail|skip|todo)\) .*$|^\S+\.test\.tsx?:$/m)
    .filter((text) => /^error: /m.test(text));
  return [...errors.map(lastLines), (names.split("\n\n")[0] ?? "").trim()];
}

/** Truncates a text to its last lines, for the summary at the end of a run. */
export function lastLines(text: string): string {
  return text.trim().split("\n").slice(-LINES_OF_A_FAILURE).join("\n");
}

const LINES_OF_A_FAILURE = 40;

/** Reads the totals of a JUnit report, e.g. Bun's. A skipped test counts as neither passed nor failed. */
export function countsOfJunit(xml: string): Counts {
  const totals = /<testsuites\b[^>]*>/.exec(xml)?.[0];
  if (!totals) throw new Error("The JUnit report has no totals.");
  const number = (name: string) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(totals)?.[1] ?? 0);
  const failed = number("failures") + number("errors");
  return { passed: number("tests") - failed - number("skipped"), failed };
}

/** Reads the totals that Hardhat prints after its Solidity tests. */
export function countsOfHardhat(output: string): Counts {
  const plain = Bun.stripANSI(output);
  const number = (word: string) => Number(new RegExp(`^\\s*(\\d+) ${word}`, "m").exec(plain)?.[1] ?? 0);
  if (!/^\s*\d+ passing/m.test(plain)) throw new Error("Hardhat printed no totals.");
  return { passed: number("passing"), failed: number("failing") };
}

/**
 * Counts one check per file in Hardhat's coverage report, which passes if every line and statement was run. Takes the
 * expected files as an argument, because a file that the report omits counts as failed.
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
 * Adds a failure to a run that exited with an error although no test failed (an error between tests, a crash), and to a
 * run without any tests, which has selected the wrong files.
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
