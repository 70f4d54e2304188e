// Creates a separate folder for the database and logs of each test run, which isolates concurrent runs. The next run
// removes the folders of runs whose process has exited.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readJson, writeJson } from "../shared/json-file.ts";
import { createPrivateFolder, dataDir, paths } from "../shared/paths.ts";
import { createMemoryFolder, isInMemory, listMemoryFolders } from "./memory-folder.ts";
import { stopAndDeletePostgres } from "./postgres.ts";
import { isRunning, type ProcessIdentity } from "./process-identity.ts";
import { identifyThisProcess } from "./running.ts";

const OWNER = "owner.json";
const POSTGRES = "postgres";

/** The process that a test folder belongs to, and the home of its Postgres. */
type Owner = ProcessIdentity & Pick<TestFolder, "postgres">;

export interface TestFolder {
  folder: string;
  /** The home of its Postgres: in the folder, or in memory. */
  postgres: string;
  logs: string;
}

/**
 * Creates this process's test folder, after removing those of exited processes.
 * @param inMemory whether to keep its Postgres in memory, if the machine has enough
 */
export async function openTestFolder({ inMemory = false } = {}): Promise<TestFolder> {
  createPrivateFolder(dataDir);
  createPrivateFolder(paths.test);
  await removeAbandonedTestFolders();
  const folder = createPrivateFolder(join(paths.test, String(process.pid)));
  const postgres = (inMemory ? createMemoryFolder() : undefined) ?? join(folder, POSTGRES);
  const owner: Owner = { ...identifyThisProcess(), postgres };
  if (isInMemory(postgres)) writeJson(join(postgres, OWNER), owner);
  writeJson(join(folder, OWNER), owner);
  return { folder, postgres, logs: createPrivateFolder(join(folder, "logs")) };
}

/** Stops the run's Postgres server if it is running, and deletes the folder. */
export async function removeTestFolder(folder: string): Promise<void> {
  await stopAndDeletePostgres(
    readJson<Partial<Owner>>(join(folder, OWNER))?.postgres ?? join(folder, POSTGRES),
  );
  rmSync(folder, { recursive: true, force: true });
}

/** Removes the folders whose owner process has exited; in memory, those of other checkouts as well. */
export async function removeAbandonedTestFolders(): Promise<void> {
  for (const folder of listMemoryFolders()) {
    const owner = readJson<Owner>(join(folder, OWNER));
    if (owner && !isRunning(owner)) await stopAndDeletePostgres(folder);
  }
  if (!existsSync(paths.test)) return;
  for (const name of readdirSync(paths.test)) {
    const folder = join(paths.test, name);
    const owner = readJson<Owner>(join(folder, OWNER));
    if (owner && !isRunning(owner)) await removeTestFolder(folder);
  }
}
