// `npm run reset`: stops the gateway and removes all of its data.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fail, parseCommand } from "../shared/command-line.ts";
import { UsageError, UserError } from "../shared/errors.ts";
import { dataDir, paths } from "../shared/paths.ts";
import { forgetPostgres } from "./postgres.ts";
import { printLine } from "./screen.ts";
import { stopGateway } from "./stop-gateway.ts";
import { removeAbandoned } from "./test-folder.ts";

const HELP = `Stops the gateway of this folder and removes everything that it keeps, for good: database, keys, logs.

  npm run reset -- [--yes]

  --yes   does not ask for confirmation; required without a terminal`;

const { values: options } = parseCommand(HELP, { yes: { type: "boolean", default: false } });

function confirm(): void {
  if (options.yes) return;
  if (!process.stdin.isTTY) {
    throw new UsageError("There is no terminal to confirm at. To remove everything: npm run reset -- --yes.");
  }
  const answer = prompt(
    "  Remove the database, all keys and all logs of this folder for good? Type yes to go on:",
  );
  if (answer !== "yes") throw new UserError("  Nothing was removed.");
}

async function reset(): Promise<void> {
  confirm();
  if (await stopGateway()) printLine("  Stopped the gateway.");
  await forgetPostgres(paths.postgres);
  await removeAbandoned();
  // A concurrent test run keeps its folder.
  const testing = existsSync(paths.test) && readdirSync(paths.test).length > 0;
  for (const name of existsSync(dataDir) ? readdirSync(dataDir) : []) {
    const path = join(dataDir, name);
    if (path !== paths.test || !testing) rmSync(path, { recursive: true, force: true });
  }
  printLine("  Everything is forgotten. The next npm start begins afresh, with new keys.");
}

reset().catch(fail);
