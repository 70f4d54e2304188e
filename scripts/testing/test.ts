// `npm test`: every check and every test.
import { parseCommand } from "../shared/command-line.ts";

const HELP = `Runs every check and every test, on ports and databases of its own, beside a gateway that may run.

  npm test -- [NAME…]   the steps, and of the other steps the test files, with one of these in their name; default: all

UPDATE_TIMINGS=1 writes down how long each file takes, SCREENSHOTS=1 keeps screenshots of the browser's tests.`;

const { positionals } = parseCommand(HELP, {});
// Loaded after the arguments have been validated.
const { runTests } = await import("./run-tests.ts");
await runTests(positionals);
