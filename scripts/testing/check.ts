// `npm run check`: the steps of a test run that are checks.
import { parseCommand } from "../shared/command-line.ts";

const HELP = `Runs the checks of npm test: form, lint, types, unused code, what is generated, the contracts' gas.

  npm run check`;

parseCommand(HELP, {});
// Loaded after the arguments have been validated.
const { runTests } = await import("./run-tests.ts");
await runTests(["check:"]);
