// A test run's own folder for its database and logs, which isolates concurrent runs. The next run removes the
// folders of killed runs.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readJson, writeJson } from "../shared/json-file.ts";
import { dataDir, paths, privateFolder } from "../shared/paths.ts";
import { forgetPostgres } from "./postgres.ts";
import { isRunning, type ProcessIdentity } from "./process-identity.ts";
import { myself } from "./running.ts";

const OWNER = "owner.json";
const POSTGRES = "postgres";

export interface TestFolder {
  folder: string;
  postgres: string;
  logs: string;
}

/** The folder of the current test run. */
export async function openTestFolder(): Promise<TestFolder> {
  privateFolder(dataDir);
  privateFolder(paths.test);
  await removeAbandoned();
  const folder = privateFolder(join(paths.test, String(process.pid)));
  writeJson(join(folder, OWNER), myself());
  return { folder, postgres: join(folder, POSTGRES), logs: privateFolder(join(folder, "logs")) };
}

/** Removes the folder of a finished run, including its database. */
export async function removeTestFolder(folder: string): Promise<void> {
  await forgetPostgres(join(folder, POSTGRES));
  rmSync(folder, { recursive: true, force: true });
}

/** Removes the folders of killed runs. */
export async function removeAbandoned(): Promise<void> {
  if (!existsSync(paths.test)) return;
  for (const name of readdirSync(paths.test)) {
    const folder = join(paths.test, name);
    const owner = existsSync(join(folder, OWNER))
      ? readJson<ProcessIdentity>(join(folder, OWNER))
      : undefined;
    if (owner && !isRunning(owner)) await removeTestFolder(folder);
  }
}
