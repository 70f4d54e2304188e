// `npm run check`: the steps of a test run that are checks.
import { parseCommand } from "../shared/command-line.ts";

const HELP = `Runs the checks of npm test: formatting, lint, types, unused code, generated files, gas costs.

  npm run check`;

parseCommand(HELP, {});
// Loaded after the arguments have been validated.
const { runTests } = await import("./run-tests.ts");
await runTests(["check:"]);
