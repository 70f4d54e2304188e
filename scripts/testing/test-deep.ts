// `npm run test:deep`: runs the tests that take too long for `npm test`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseCommand, refuse } from "../shared/command-line.ts";
import { root } from "../shared/paths.ts";
import { testFiles } from "./test-files.ts";

const HELP = `Runs the long tests: the Solidity tests with 10,000 runs of each fuzz test and invariant, and their coverage of the contracts; the
search of the escrow's model to depth 7, and 100,000 calls on the model and the bytecode; API restarts under load, every invalid setting on every
process, every process killed during a payment, deadlines, an outage, a failover and a seed of the fault simulation; the deploy command and
the demo on a deployed contract; guides and examples; users' tasks and every state of every page in a browser; scans of large tables; 51,200
generated requests; and the search of payouts within wider bounds. Takes hours.

  npm run test:deep -- [NAME…]   only tests with one of these in their name, such as properties (default: all)

INVARIANT_RUNS and FUZZ_RUNS set the number of runs, FUZZ_SEED the seed, FUZZ_REQUESTS the number of requests.`;

process.env.DEEP = "1";

/** Whether a test runs longer here: by its name, or because it or the escrow's model reads `DEEP`. */
const isDeep = (file: string): boolean =>
  file.startsWith("test/escrow-model/") ||
  file.includes(".deep.test.") ||
  readFileSync(join(root, file), "utf8").includes("#test/support/deep.ts");

const DEEP = [
  "contracts compile",
  "Solidity tests",
  ...testFiles(["test", "scripts"])
    .map((file) => file.replace("./", ""))
    .filter(isDeep),
];

const { positionals } = parseCommand(HELP, {});
const chosen = DEEP.filter(
  (name) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
);
if (chosen.length === 0) refuse(`No deep test has ${positionals.join(" or ")} in its name.`);
// This module is loaded only after the arguments have been validated. The first step compiles what the second one runs.
const { runTests } = await import("./run-tests.ts");
await runTests(chosen);
