// `npm run reset`: stops the gateway and removes all of its data.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fail, parseCommand } from "../shared/command-line.ts";
import { UsageError, UserError } from "../shared/errors.ts";
import { dataDir, paths } from "../shared/paths.ts";
import { stopAndDeletePostgres } from "./postgres.ts";
import { printLine } from "./screen.ts";
import { stopGateway } from "./stop-gateway.ts";
import { removeAbandonedTestFolders } from "./test-folder.ts";

const HELP = `Stops the gateway of this folder and permanently deletes its data: database, keys, logs.

  npm run reset -- [--yes]

  --yes   deletes without asking for confirmation; required without a terminal`;

const { values: options } = parseCommand(HELP, { yes: { type: "boolean", default: false } });

function confirm(): void {
  if (options.yes) return;
  if (!process.stdin.isTTY) {
    throw new UsageError(
      "Confirmation requires a terminal. To delete everything without confirmation, run npm run reset -- --yes.",
    );
  }
  const answer = prompt(
    "  Permanently delete the database, all keys and all logs of this folder? Type yes to continue:",
  );
  if (answer !== "yes") throw new UserError("  Nothing was deleted.");
}

async function reset(): Promise<void> {
  confirm();
  if (await stopGateway()) printLine("  Stopped the gateway.");
  await stopAndDeletePostgres(paths.postgres);
  await removeAbandonedTestFolders();
  // A concurrent test run keeps its folder.
  const testing = existsSync(paths.test) && readdirSync(paths.test).length > 0;
  for (const name of existsSync(dataDir) ? readdirSync(dataDir) : []) {
    const path = join(dataDir, name);
    if (path !== paths.test || !testing) rmSync(path, { recursive: true, force: true });
  }
  printLine("  All data is deleted. The next npm start will create new keys and a new database.");
}

reset().catch(fail);
