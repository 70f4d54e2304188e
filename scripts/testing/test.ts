// `npm test`: runs every check and every test.
import { parseCommand } from "../shared/command-line.ts";

const HELP = `Runs every check and every test on separate ports and databases, even while a gateway is running.

  npm test -- [NAME…]   only steps, and test files of other steps, with one of these in their name (default: all)

UPDATE_TIMINGS=1 records the duration of each file, SCREENSHOTS=1 keeps screenshots of the browser tests (for the remaining screenshots: npm run test:deep -- browser).`;

const { positionals } = parseCommand(HELP, {});
// This module is loaded only after the arguments have been validated.
const { runTests } = await import("./run-tests.ts");
await runTests(positionals);
