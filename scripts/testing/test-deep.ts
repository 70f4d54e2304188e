// `npm run test:deep`: the tests that may go through much more than `npm test` has time for.
import { parseCommand, refuse } from "../shared/command-line.ts";

const HELP = `Runs the contracts' Solidity tests with 10,000 runs of each fuzz test and invariant, the search of the
escrow's model to depth 7, 100,000 calls on model and bytecode, 20 restarts of the API under load, every wrong setting on
every process, every process killed during a payment, the deploy command, the demo on a deployed contract, 51,200 generated
requests, and every way of a payout within wider bounds. Takes hours.

  npm run test:deep -- [NAME…]   those with one of these in their name, such as properties; default: all

INVARIANT_RUNS and FUZZ_RUNS change how many runs, FUZZ_SEED which; FUZZ_REQUESTS how many requests.`;

const DEEP = [
  "contracts compile",
  "Solidity tests",
  "escrow-model",
  "test/ops/restarts",
  "test/deployment",
  "test/properties",
  "test/payout-search",
  "test/end-to-end/outage",
  "test/settlement/off-ramp-account",
  "test/settlement/replicas",
  "test/settlement/watch-tokens",
  ".deep.test.",
];

const { positionals } = parseCommand(HELP, {});
const chosen = DEEP.filter(
  (name) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
);
if (chosen.length === 0) refuse(`There is no deep test with ${positionals.join(" or ")} in its name.`);
process.env.DEEP = "1";
// Loaded when the arguments are known to be right. The first step compiles what the second runs.
const { runTests } = await import("./run-tests.ts");
await runTests(chosen);
