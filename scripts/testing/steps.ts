// The steps of a test run in order. A step whose tool is missing or not configured fails.
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { hardhatCli } from "../devnet/compile-contracts.ts";
import { checkStatements } from "./check-statements.ts";
import type { Counts } from "./counts.ts";
import { countsOfJunit, failuresOfBun, lastLines, withExitCode } from "./counts.ts";
import { runCommand } from "./run-command.ts";
import type { Services } from "./services.ts";
import { solidityTests } from "./solidity-tests.ts";
import { testFiles } from "./test-files.ts";

export interface Step {
  name: string;
  /** Runs the step; its output is for the user. An error counts as one failure. */
  run(run: TestRun): Promise<Counts>;
  /**
   * `beside`: runs in parallel with the following steps; its output is printed when it has ended. `beside` steps run one
   * at a time, and on all cores while another step waits for one of them.
   * `alone`: starts when all `beside` steps have ended. By default, a step runs after the previous one.
   */
  order?: "beside" | "alone";
  /** The `beside` step, if it is selected, that must have ended before this step starts. */
  follows?: string;
  /** Whether the step uses the services (`TestRun`). */
  usesServices?: boolean;
  /** Whether the services for later steps start during this step, which leaves a core partly idle. */
  startsServices?: boolean;
  /** Runs after these steps whenever one of them is selected, because it checks their results. */
  after?: readonly string[];
  /** Returns the step's test files that match a filter. A step without this function cannot be narrowed. */
  files?: (filters: readonly string[]) => string[];
}

export interface TestRun {
  /** Parts of file names; empty for all files. */
  filters: readonly string[];
  /** The folder for reports and logs. */
  folder: string;
  /** Postgres and chain for the integration tests, started on first use. */
  services(): Promise<Services>;
  /** The duration of a finished step, in milliseconds. */
  tookMs(name: string): number | undefined;
}

/** Folders with unit tests next to their source files. */
const UNIT_FOLDERS = ["core", "indexer", "api", "settlement", "web", "sdk", "scripts"];
/**
 * Ends tests that hang. A test with its own processes needs more than Bun's five seconds, and much more on a busy
 * machine.
 */
const INTEGRATION_TIMEOUT_MS = 240_000;
export const CORES = Math.min(6, Math.max(2, availableParallelism()));
/**
 * Unit tests, and the checks that run beside them, are CPU-bound. If they take longer than this, the machine is shared:
 * they take 25 to 35 s on two dedicated cores and 100 s on two shared ones.
 */
const QUICK_UNIT_TESTS_MS = 70_000;
/** If unit tests are quicker than this, three files at once leave a quarter of two cores idle. */
const QUICKEST_UNIT_TESTS_MS = 45_000;

/**
 * Runs one test file per core, and up to two more if the cores are not shared, because files wait for blocks more
 * than they compute. A gateway uses a tenth of a core when idle and half a minute of CPU time to start, and a file with
 * two networks has two gateways. With more files on a busy machine, each gets too little CPU time and timeouts expire.
 */
function filesAtOnce(run: TestRun): string {
  // A run that is narrowed to some files runs only some of the unit tests.
  const tookMs = run.filters.length === 0 ? (run.tookMs(UNIT_TESTS) ?? Infinity) : Infinity;
  const more = [QUICK_UNIT_TESTS_MS, QUICKEST_UNIT_TESTS_MS].filter((limit) => tookMs < limit).length;
  return `--parallel=${Math.min(6, CORES + more)}`;
}

/**
 * Tests that measure time or count requests by address. In parallel with other tests, they would measure the load of
 * the machine, or count each other's requests.
 */
const ALONE = ["test/limits"];

/**
 * The duration of each file, so that the longest files start first and no core waits for them at the end. A run with
 * `UPDATE_TIMINGS=1` updates it; unlisted files start first.
 */
const TIMINGS = "test/timings.json";
const UPDATE_TIMINGS = process.env.UPDATE_TIMINGS === "1" ? ["--update-timings"] : [];

const withServices = async (run: TestRun) => (await run.services()).environment;

const bun = process.execPath;

const UNIT_TESTS = "unit tests";

const DOCUMENT = "docs/openapi.json";

/** Steps whose processes record the SQL statements that they send. */
const RECORDED = ["integration tests, alone", "integration tests"];

const COMPILATION = "contracts compile";
/** Of steps that read the compiler's output. */
const AFTER_COMPILATION = { follows: `check: ${COMPILATION}` };

export const STEPS: readonly Step[] = [
  // The compiler and most checks use one core, so they run beside the steps that use more. They come first, because a
  // step does not start before the steps above it that do not run beside others have ended. The checks have the lowest
  // priority: those that the compilation has delayed run on the core that the Solidity tests and the tests of limits
  // leave idle most of the time.
  { ...check(COMPILATION, [bun, hardhatCli, "build"]), order: "beside" },
  beside("words", [bun, "scripts/testing/check-words.ts"]),
  beside("Solidity lint", ["solhint", "--max-warnings", "0", "contracts/**/*.sol"]),
  beside("Solidity format", ["prettier", "--check", "contracts/**/*.sol"]),
  { ...beside("NatSpec", [bun, "scripts/testing/check-natspec.ts"]), ...AFTER_COMPILATION },
  { ...beside("ABI drift", [bun, "scripts/generate/abi.ts", "--check"]), ...AFTER_COMPILATION },
  beside("typed data vectors", [bun, "contracts/test/vectors/generate.ts", "--check"]),
  { ...beside("gas", [bun, "scripts/bench/gas.ts"]), ...AFTER_COMPILATION },
  check("format and lint", ["biome", "ci", "--colors=off", "."]),
  // Several checkers would check what they share several times: twice the CPU time, and both cores are in use.
  check("types", ["tsc", "--noEmit", "--checkers", "1"]),
  check("unused code", ["knip"]),
  check("migrations", [bun, "scripts/testing/check-migrations.ts"]),
  check("OpenAPI drift", [bun, "scripts/generate/openapi.ts", "--check"]),
  check("OpenAPI lint, Spectral", ["spectral", "lint", "--quiet", "--fail-severity", "hint", DOCUMENT]),
  check("OpenAPI lint, Redocly", ["redocly", "lint", DOCUMENT], { REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }),
  bunTests(UNIT_TESTS, UNIT_FOLDERS, async () => ({}), { flags: () => [`--parallel=${CORES}`] }),
  // This step uses more than one core at first. In parallel with the following tests, it would slow down each of them
  // and each gateway's work per block and poll, and take two fifths longer in total.
  { name: "Solidity tests", run: solidityTests, startsServices: true, ...AFTER_COMPILATION },
  bunTests("integration tests, alone", ALONE, withServices, { flags: () => [] }),
  {
    ...bunTests("integration tests", ["test"], withServices, {
      leaveOut: ALONE,
      // The files of a test worker share their modules, because loading them takes half a second per file.
      flags: (run) => [filesAtOnce(run), "--no-isolate", `--timings=${TIMINGS}`, ...UPDATE_TIMINGS],
    }),
    order: "alone",
  },
  {
    name: "statements read no more than they return",
    after: RECORDED,
    run: async (run) => checkStatements((await run.services()).statements),
  },
];

/** Creates a `beside` step for a tool, at the lowest priority. */
function beside(name: string, command: readonly [string, ...string[]]): Step {
  return { ...check(name, command, {}, { niceness: 19 }), order: "beside" };
}

/** Creates a step for a tool that passes or fails, which counts as one check. */
function check(
  name: string,
  command: readonly [string, ...string[]],
  env: Record<string, string> = {},
  options: { niceness?: number } = {},
): Step {
  return {
    name: `check: ${name}`,
    async run() {
      const { exitCode, output } = await runCommand(command, env, options);
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
    usesServices: environment === withServices,
    files: listFiles,
    async run(run) {
      const files = listFiles(run.filters);
      if (files.length === 0) throw new Error(`No test files in ${folders.join(", ")}.`);
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
      // Bun writes its report at the end, so there is none after a crash.
      const counts = existsSync(report)
        ? countsOfJunit(readFileSync(report, "utf8"))
        : { passed: 0, failed: 1 };
      return { ...withExitCode(counts, exitCode), failures: failuresOfBun(output, exitCode) };
    },
  };
}
