// `npm run test:deep`: the tests that may go through much more than `npm test` has time for.
import { parseCommand } from "./local/command-line.ts";

const HELP = `Runs the contracts' Solidity tests with 10,000 runs of each fuzz test and invariant, the search of the
escrow's model to depth 7, 100,000 calls on model and bytecode, 20 restarts of the API under load, every wrong setting on
every process, the demo on a deployed contract, 81,920 generated requests, and every way of a payout within wider bounds.
Takes hours.

  npm run test:deep

INVARIANT_RUNS and FUZZ_RUNS change how many runs, FUZZ_SEED which; FUZZ_REQUESTS how many requests.`;

parseCommand(HELP, {});
process.env.DEEP = "1";
// Loaded when the arguments are known to be right. The first step compiles what the second runs.
const { runTests } = await import("./testing/run-tests.ts");
await runTests([
  "contracts compile",
  "Solidity tests",
  "escrow-model",
  "test/ops/restarts",
  "test/deployment",
  "test/properties",
  "test/payout-search",
]);
