// The steps of a test run, in their order. A step whose tool is missing or not configured fails.
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { hardhatCli } from "../devnet/compile-contracts.ts";
import type { Counts } from "./counts.ts";
import { countsOfJunit, failuresOfBun, lastLines, withExitCode } from "./counts.ts";
import { runCommand } from "./run-command.ts";
import type { Services } from "./services.ts";
import { solidityTests } from "./solidity-tests.ts";
import { checkStatements } from "./statements/check-statements.ts";
import { testFiles } from "./test-files.ts";

export interface Step {
  name: string;
  /** Runs it; what it prints is the user's to read. An error counts as one failure. */
  run(run: TestRun): Promise<Counts>;
  /**
   * `beside`: runs beside the steps that follow, in its turn among its like; what it prints comes when it has ended.
   * `alone`: begins when those have ended. By default a step runs after the one before it.
   */
  order?: "beside" | "alone";
  /** Runs after these steps, whenever one of them is chosen: it checks what they have left. */
  after?: readonly string[];
  /** For steps made of test files: those that a filter picks; a step without files cannot be narrowed. */
  files?: (filters: readonly string[]) => string[];
}

export interface TestRun {
  /** Parts of file names; empty for all files. */
  filters: readonly string[];
  /** Where reports and logs go. */
  folder: string;
  /** Postgres and chain for the integration tests, started when first asked for. */
  services(): Promise<Services>;
  /** Milliseconds that a step took which has ended. */
  tookMs(name: string): number | undefined;
}

/** Folders with a unit test beside each file that wants one. */
const UNIT_FOLDERS = ["core", "indexer", "api", "settlement", "web", "sdk", "scripts"];
/**
 * What hangs ends at last; a test with processes of its own needs more than Bun's five seconds, on a busy machine many
 * more.
 */
const INTEGRATION_TIMEOUT_MS = 240_000;
const CORES = Math.min(6, Math.max(2, availableParallelism()));
/** Unit tests compute. Where they take longer, others use the machine as well: 13 s on two cores of their own, 40 s on two shared ones. */
const QUICK_UNIT_TESTS_MS = 25_000;

/**
 * One test file a core, and one more where the cores are the tests' own: files wait for blocks more than they compute. A gateway
 * costs a third of a core when nothing happens and half a minute of one to start, and the files of two networks have two: with more of
 * them on a busy machine none has what its tests need, and waiting times run out.
 */
function filesAtOnce(run: TestRun): string {
  // A run that is narrowed to some files has some of the unit tests alone.
  const tookMs = run.filters.length === 0 ? run.tookMs(UNIT_TESTS) : undefined;
  const isQuick = tookMs !== undefined && tookMs < QUICK_UNIT_TESTS_MS;
  return `--parallel=${Math.min(6, isQuick ? CORES + 1 : CORES)}`;
}

/** What measures time, or counts by address: beside others these would test the machine, or meet their counts. */
const ALONE = ["test/limits", "test/settlement/connections"];

/**
 * How long each file took, so that the longest begin first and no core waits for them at the end. Rewritten by a run
 * with `UPDATE_TIMINGS=1`; a file that is not in it begins first.
 */
const TIMINGS = "test/timings.json";
const UPDATE_TIMINGS = process.env.UPDATE_TIMINGS === "1" ? ["--update-timings"] : [];

const withServices = async (run: TestRun) => (await run.services()).environment;

const bun = process.execPath;

const UNIT_TESTS = "unit tests";

const DOCUMENT = "docs/openapi.json";

/** Steps whose processes record the statements that they send. */
const RECORDED = ["integration tests, alone", "integration tests"];

export const STEPS: readonly Step[] = [
  // The compiler wants one core, and so do the checks.
  beside(check("contracts compile", [bun, hardhatCli, "build"])),
  check("format and lint", ["biome", "ci", "--colors=off", "."]),
  check("types", ["tsc", "--noEmit"]),
  check("unused code", ["knip"]),
  check("words", [bun, "scripts/testing/check-words.ts"]),
  check("migrations", [bun, "scripts/testing/check-migrations.ts"]),
  check("OpenAPI drift", [bun, "scripts/generate/openapi.ts", "--check"]),
  check("OpenAPI lint, Spectral", ["spectral", "lint", "--quiet", "--fail-severity", "hint", DOCUMENT]),
  check("OpenAPI lint, Redocly", ["redocly", "lint", DOCUMENT], { REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }),
  check("Solidity lint", ["solhint", "--max-warnings", "0", "contracts/**/*.sol"]),
  check("Solidity format", ["prettier", "--check", "contracts/**/*.sol"]),
  beside(check("NatSpec", [bun, "scripts/testing/check-natspec.ts"])),
  beside(check("ABI drift", [bun, "scripts/generate/abi.ts", "--check"])),
  beside(check("typed data vectors", [bun, "contracts/test/vectors/generate.ts", "--check"])),
  beside(check("gas", [bun, "scripts/bench/gas.ts"])),
  bunTests(UNIT_TESTS, UNIT_FOLDERS, async () => ({}), { flags: () => [`--parallel=${CORES}`] }),
  // Wants every core. Beside the tests that follow it would make each of them longer, and with it what a gateway does
  // at every block and poll: in all two fifths more.
  { name: "Solidity tests and coverage", run: solidityTests, order: "alone" },
  bunTests("integration tests, alone", ALONE, withServices, { flags: () => [] }),
  bunTests("integration tests", ["test"], withServices, {
    leaveOut: ALONE,
    // The files of a worker share their modules: loading them takes half a second a file.
    flags: (run) => [filesAtOnce(run), "--no-isolate", `--timings=${TIMINGS}`, ...UPDATE_TIMINGS],
  }),
  {
    name: "statements read no more than they return",
    after: RECORDED,
    run: async (run) => checkStatements((await run.services()).statements),
  },
];

function beside(step: Step): Step {
  return { ...step, order: "beside" };
}

/** A tool that says yes or no: one check. */
function check(
  name: string,
  command: readonly [string, ...string[]],
  env: Record<string, string> = {},
): Step {
  return {
    name: `check: ${name}`,
    async run() {
      const { exitCode, output } = await runCommand(command, env);
      if (exitCode === 0) return { passed: 1, failed: 0 };
      return { passed: 0, failed: 1, failures: [lastLines(output)] };
    },
  };
}

function bunTests(
  name: string,
  folders: readonly string[],
  environment: (run: TestRun) => Promise<Record<string, string>>,
  { leaveOut = [], flags }: { leaveOut?: readonly string[]; flags: (run: TestRun) => readonly string[] },
): Step {
  const listFiles = (filters: readonly string[]) =>
    testFiles(folders, filters).filter((file) => !leaveOut.some((path) => file.startsWith(`./${path}`)));
  return {
    name,
    files: listFiles,
    async run(run) {
      const files = listFiles(run.filters);
      if (files.length === 0) throw new Error(`There are no test files in ${folders.join(", ")}.`);
      const report = join(run.folder, `${name.replaceAll(" ", "-")}.xml`);
      const { exitCode, output } = await runCommand(
        [
          bun,
          "test",
          ...flags(run),
          "--timeout",
          String(INTEGRATION_TIMEOUT_MS),
          "--reporter=junit",
          `--reporter-outfile=${report}`,
          ...files,
        ],
        await environment(run),
      );
      // Bun writes its report at the end: none if it crashed.
      const counts = existsSync(report)
        ? countsOfJunit(readFileSync(report, "utf8"))
        : { passed: 0, failed: 1 };
      return { ...withExitCode(counts, exitCode), failures: failuresOfBun(output, exitCode) };
    },
  };
}
