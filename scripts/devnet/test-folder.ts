// A test run's own folder for its database and logs, which isolates concurrent runs. The next run removes the
// folders of runs whose process has exited.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readJson, writeJson } from "../shared/json-file.ts";
import { createPrivateFolder, dataDir, paths } from "../shared/paths.ts";
import { stopAndDeletePostgres } from "./postgres.ts";
import { isRunning, type ProcessIdentity } from "./process-identity.ts";
import { identifyThisProcess } from "./running.ts";

const OWNER = "owner.json";
const POSTGRES = "postgres";

export interface TestFolder {
  folder: string;
  postgres: string;
  logs: string;
}

/** Creates this process's test folder, after removing those of exited processes. */
export async function openTestFolder(): Promise<TestFolder> {
  createPrivateFolder(dataDir);
  createPrivateFolder(paths.test);
  await removeAbandonedTestFolders();
  const folder = createPrivateFolder(join(paths.test, String(process.pid)));
  writeJson(join(folder, OWNER), identifyThisProcess());
  return { folder, postgres: join(folder, POSTGRES), logs: createPrivateFolder(join(folder, "logs")) };
}

/** Stops the run's Postgres server if it is running, and deletes the folder. */
export async function removeTestFolder(folder: string): Promise<void> {
  await stopAndDeletePostgres(join(folder, POSTGRES));
  rmSync(folder, { recursive: true, force: true });
}

/** Removes the folders whose owner process has exited. */
export async function removeAbandonedTestFolders(): Promise<void> {
  if (!existsSync(paths.test)) return;
  for (const name of readdirSync(paths.test)) {
    const folder = join(paths.test, name);
    const owner = existsSync(join(folder, OWNER))
      ? readJson<ProcessIdentity>(join(folder, OWNER))
      : undefined;
    if (owner && !isRunning(owner)) await removeTestFolder(folder);
  }
}
