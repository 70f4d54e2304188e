// Runs every check and every test, on separate ports and databases.
import pLimit from "p-limit";
import { KEEP_FREED_MEMORY } from "../devnet/child.ts";
import { committedArtifacts } from "../devnet/compiled.ts";
import { onParentGone } from "../devnet/end-with-parent.ts";
import { isInMemory } from "../devnet/memory-folder.ts";
import { stopAndDeletePostgres } from "../devnet/postgres.ts";
import { seconds } from "../devnet/screen.ts";
import { openTestFolder, removeTestFolder } from "../devnet/test-folder.ts";
import { fail } from "../shared/command-line.ts";
import { describe, UsageError } from "../shared/errors.ts";
import { type Counts, sum } from "./counts.ts";
import { print, printAtEnd } from "./print.ts";
import { type Services, startServices } from "./services.ts";
import { CORES, STEPS, type Step } from "./steps.ts";

const DEEP = process.env.DEEP === "1";

interface Outcome extends Counts {
  name: string;
  tookMs: number;
}

async function run(wanted: readonly string[]): Promise<Counts> {
  const steps = choose(wanted);
  // The deep tests fill large tables, so their database is on disk.
  const folder = await openTestFolder({ inMemory: !DEEP });
  let services: Promise<Services> | undefined;
  const start = () => {
    services ??= startServices(folder);
    return services;
  };
  const outcomes: Outcome[] = [];
  const runStep = async (index: number) => {
    const { step, filters } = steps[index] as Chosen;
    print(
      `\n── ${index + 1}/${steps.length} ${step.name} ${"─".repeat(Math.max(0, 70 - step.name.length))}\n`,
    );
    outcomes[index] = await timed(step.name, () =>
      step.run({
        filters,
        folder: folder.logs,
        tookMs: (name) => outcomes.find((outcome) => outcome?.name === name)?.tookMs,
        services: start,
      }),
    );
  };
  // One at a time, because the other steps use the other cores, except while the other steps wait.
  const limit = pLimit(1);
  const beside = new Map<string, Promise<void>>();
  const waitFor = async (steps: Iterable<Promise<void> | undefined>) => {
    limit.concurrency = CORES;
    await Promise.all(steps);
    limit.concurrency = 1;
  };
  // If the contracts differ from the committed compilation, they are compiled before any step deploys them.
  const deployable = committedArtifacts() !== undefined;
  try {
    for (const [index, { step }] of steps.entries()) {
      if (step.order === "beside" && deployable) {
        const runBeside = async () => {
          if (step.follows !== undefined) await beside.get(step.follows);
          await printAtEnd(() => runStep(index));
        };
        beside.set(step.name, limit(runBeside));
        continue;
      }
      if (step.order === "alone") await waitFor(beside.values());
      if (step.follows !== undefined) await waitFor([beside.get(step.follows)]);
      if (step.startsServices && !DEEP && steps.some((chosen) => chosen.step.usesServices)) {
        // The step that needs the services reports a failure.
        start().catch(() => undefined);
      }
      await runStep(index);
    }
    await waitFor(beside.values());
  } finally {
    // If the services could not be started, the step has already reported the error.
    await (await services?.catch(() => undefined))?.stop();
  }
  summarise(outcomes);
  const total = sum(outcomes);
  if (total.failed === 0) await removeTestFolder(folder.folder);
  else {
    if (isInMemory(folder.postgres)) await stopAndDeletePostgres(folder.postgres);
    console.log(`  Logs of the processes: ${folder.logs}\n`);
  }
  return total;
}

type Chosen = { step: Step; filters: readonly string[] };

/** Selects the steps whose name matches a filter, and those with matching test files, narrowed to these files. */
function choose(wanted: readonly string[]): Chosen[] {
  const unknown = wanted.find((name) => narrow([name]).length === 0);
  if (unknown !== undefined) {
    const names = STEPS.map(({ name }) => name).join(", ");
    throw new UsageError(`No step or test file has '${unknown}' in its name. Steps: ${names}.`);
  }
  return narrow(wanted);
}

function narrow(wanted: readonly string[]): Chosen[] {
  const chosen: Chosen[] = [];
  for (const step of STEPS) {
    const follows = step.after?.some((name) => chosen.some((earlier) => earlier.step.name === name));
    if (follows || wanted.length === 0 || wanted.some((filter) => step.name.includes(filter)))
      chosen.push({ step, filters: [] });
    else if (step.files && step.files(wanted).length > 0) chosen.push({ step, filters: wanted });
  }
  return chosen;
}

async function timed(name: string, work: () => Promise<Counts>): Promise<Outcome> {
  const start = performance.now();
  let counts: Counts;
  try {
    counts = await work();
  } catch (error) {
    print(`${describe(error)}\n`);
    counts = { passed: 0, failed: 1, failures: [describe(error)] };
  }
  return { name, ...counts, tookMs: performance.now() - start };
}

/** Prints the failures and the counts of each step last, because the end of a long output is read first. */
function summarise(outcomes: readonly Outcome[]): void {
  for (const { name, failures = [] } of outcomes) {
    for (const failure of failures) console.log(`\n✗ ${name}\n${failure}`);
  }
  const line = (name: string, passed: string, failed: string, time: string) =>
    console.log(`  ${name.padEnd(32)}${passed.padStart(8)}${failed.padStart(8)}${time.padStart(10)}`);
  console.log(`\n${"─".repeat(76)}`);
  line("", "passed", "failed", "time");
  for (const { name, passed, failed, tookMs } of outcomes) {
    line(`${failed === 0 ? "✓" : "✗"} ${name}`, String(passed), String(failed), seconds(tookMs));
  }
  console.log();
}

/**
 * Runs the steps whose name matches a filter, and the matching test files of the other steps. Without a filter, runs
 * everything. Exits the process.
 */
export async function runTests(wanted: readonly string[]): Promise<never> {
  // For the processes of the tests as well as for the gateway's: a fifth of a run's CPU time.
  Object.assign(process.env, KEEP_FREED_MEMORY);
  // All processes that were started for the tests exit with this process.
  onParentGone(() => process.exit(1));
  const { passed, failed } = await run(wanted).catch((error: unknown) => {
    if (error instanceof UsageError) fail(error);
    console.error(describe(error));
    return { passed: 0, failed: 1 };
  });
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}
