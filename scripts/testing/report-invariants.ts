// Prints how often each invariant handler was called in Hardhat's Solidity tests, because Hardhat records these numbers
// but does not print them. Fails if two contracts check an invariant with the same calls. hardhat.config.ts registers
// this action.
import type { TaskOverrideActionFunction } from "hardhat/types/tasks";
import type { Result } from "hardhat/types/utils";

/** The part of the results that this file reads. */
interface Suites {
  suiteResults: { testResults: { name: string; kind: object | Invariant }[] }[];
}

interface Invariant {
  runs: bigint;
  calls: bigint;
  reverts: bigint;
  metrics: Record<string, { calls: bigint; reverts: bigint }>;
}

const runAndReport: TaskOverrideActionFunction = async (args, _hre, runSuper) => {
  const result: Result<Suites, Suites> = await runSuper(args);
  const { suiteResults } = result.success ? result.value : result.error;
  const drawn = new Set<string>();
  for (const { testResults } of suiteResults) {
    for (const { name, kind } of testResults) {
      if (!("metrics" in kind)) continue;
      report(name, kind);
      const calls = Object.entries(kind.metrics).map(([handler, one]) => `${handler} ${one.calls}`);
      const draws = [name, ...calls.sort()].join();
      if (drawn.has(draws)) throw new Error(`Two contracts check ${name} with the same calls.`);
      drawn.add(draws);
    }
  }
  return result;
};

function report(name: string, { runs, calls, reverts, metrics }: Invariant): void {
  const number = (value: bigint) => value.toLocaleString("en");
  console.log(`${name}: ${number(runs)} runs, ${number(calls)} calls, ${number(reverts)} reverts; of them`);
  for (const [handler, one] of Object.entries(metrics).sort()) {
    console.log(`  ${(handler.split(".").at(-1) ?? handler).padEnd(28)}${number(one.calls).padStart(10)}`);
  }
  console.log();
}

export default runAndReport;
