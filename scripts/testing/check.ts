// `npm run check`: runs the checks of a test run.
import { parseCommand } from "../shared/command-line.ts";

const HELP = `Runs the checks of npm test: formatting, lint, types, unused code, generated files, gas costs.

  npm run check`;

parseCommand(HELP, {});
// This module is loaded only after the arguments have been validated.
const { runTests } = await import("./run-tests.ts");
await runTests(["check:"]);
