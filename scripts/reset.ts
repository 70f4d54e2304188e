// `npm run reset`: stops what runs and forgets everything: database, keys, logs.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe } from "./local/errors.ts";
import { dataDir, paths } from "./local/paths.ts";
import { forgetPostgres } from "./local/postgres.ts";
import { printLine } from "./local/screen.ts";
import { stopGateway } from "./local/stop-gateway.ts";

/** Test runs may go on beside a reset, and clear away after themselves. */
const NOT_OURS = ["test"];

async function reset(): Promise<void> {
  if (await stopGateway()) printLine("  Stopped the gateway.");
  await forgetPostgres(paths.postgres);
  if (existsSync(dataDir)) {
    for (const name of readdirSync(dataDir)) {
      if (!NOT_OURS.includes(name)) rmSync(join(dataDir, name), { recursive: true, force: true });
    }
  }
  printLine("  Everything is forgotten. The next npm start begins afresh, with new keys.");
}

reset().catch((error: unknown) => {
  console.error(describe(error));
  process.exit(1);
});
