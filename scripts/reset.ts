// `npm run reset`: stops what runs and forgets everything: database, keys, logs.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe } from "./local/errors.ts";
import { dataDir, paths } from "./local/paths.ts";
import { forgetPostgres } from "./local/postgres.ts";
import { printLine } from "./local/screen.ts";
import { stopGateway } from "./local/stop-gateway.ts";
import { removeAbandoned } from "./local/test-folder.ts";

async function reset(): Promise<void> {
  if (await stopGateway()) printLine("  Stopped the gateway.");
  await forgetPostgres(paths.postgres);
  await removeAbandoned();
  // A test run that goes on beside this keeps its folder.
  const testing = existsSync(paths.test) && readdirSync(paths.test).length > 0;
  for (const name of existsSync(dataDir) ? readdirSync(dataDir) : []) {
    const path = join(dataDir, name);
    if (path !== paths.test || !testing) rmSync(path, { recursive: true, force: true });
  }
  printLine("  Everything is forgotten. The next npm start begins afresh, with new keys.");
}

reset().catch((error: unknown) => {
  console.error(describe(error));
  process.exit(1);
});
