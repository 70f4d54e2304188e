// Runs the Solidity tests, including the invariant runs. `npm run test:deep` also runs them instrumented for coverage,
// in parallel, because the invariants keep only one core busy most of the time.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { hardhatCli } from "../devnet/compile-contracts.ts";
import { root } from "../shared/paths.ts";
import { type Counts, countsOfCoverage, countsOfHardhat, lastLines, sum, withExitCode } from "./counts.ts";
import { print } from "./print.ts";
import { runCommand } from "./run-command.ts";

const TESTS = [process.execPath, hardhatCli, "test", "solidity"] as const;

export async function solidityTests(): Promise<Counts> {
  const instrumented = process.env.DEEP === "1" ? runInstrumented() : { passed: 0, failed: 0 };
  const { output, exitCode } = await runCommand([...TESTS, "--no-compile"]);
  const counts = withExitCode(countsOfHardhat(output), exitCode);
  const failures = counts.failed === 0 ? [] : [lastLines(output)];
  return sum([{ ...counts, failures }, await instrumented]);
}

/**
 * Measures the line and statement coverage of the contracts, and prints the report when the run has ended. Uses
 * separate folders, because an instrumented escrow must never be deployed. Runs few iterations per fuzz test, because
 * named tests cover the branch lists.
 */
async function runInstrumented(): Promise<Counts> {
  const few = {
    HARDHAT_ARTIFACTS: "cache/coverage/artifacts",
    HARDHAT_CACHE: "cache/coverage/cache",
    INVARIANT_RUNS: "1",
    FUZZ_RUNS: "16",
  };
  const { output, exitCode } = await runCommand([...TESTS, "--coverage"], few, { quiet: true });
  const report = output.slice(output.indexOf("╔"), output.lastIndexOf("╝") + 1);
  print(`${exitCode === 0 && report !== "" ? report : output}\n`);
  const parts = readdirSync(join(root, "contracts/parts")).map((name) => `contracts/parts/${name}`);
  return withExitCode(countsOfCoverage(output, parts), exitCode);
}
