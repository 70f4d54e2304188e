// Services shared by the integration tests of a run: a Postgres, in which each test creates its own databases, and a
// gateway.
import { join } from "node:path";
import { type SharedStack, sharedStack } from "#test/support/shared-stack.ts";
import { BUNDLES } from "../devnet/entry-point.ts";
import { startPostgres } from "../devnet/postgres.ts";
import type { TestFolder } from "../devnet/test-folder.ts";
import { writeJson } from "../shared/json-file.ts";
import { createPrivateFolder } from "../shared/paths.ts";
import { bundleProcesses } from "./bundle-processes.ts";
import { RECORD_FOLDER } from "./statements/recorded.ts";

export interface Services {
  /** Environment variables that pass the services' addresses to the tests (test/support). */
  environment: Record<string, string>;
  /** Folder in which the tests' processes record the statements that they send. */
  statements: string;
  stop(): Promise<void>;
}

/**
 * Autovacuum visits one database after another, each once a minute, with a process per visit. In a run of a few minutes
 * with a hundred databases, it only takes time, and makes plans depend on when it comes.
 */
const WITHOUT_AUTOVACUUM = process.env.DEEP === "1" ? [] : ["autovacuum=off"];

/** Makes every Bun process record its SQL statements (statements/record.preload.ts). */
function recordStatements(folder: string): Record<string, string> {
  const preload = join(import.meta.dir, "statements", "record.preload.ts");
  return { [RECORD_FOLDER]: folder, BUN_OPTIONS: `--preload=${preload}` };
}

/**
 * Starts the services. The contracts must be deployable: from the committed compilation, or compiled at the start of
 * the run.
 */
export async function startServices({ folder, postgres: home, logs }: TestFolder): Promise<Services> {
  const bundles = createPrivateFolder(join(folder, "bundles"));
  await bundleProcesses(bundles);
  const postgres = await startPostgres({
    folder: home,
    log: join(logs, "postgres.log"),
    durable: false,
    settings: WITHOUT_AUTOVACUUM,
  });
  const statements = createPrivateFolder(join(folder, "statements"));
  const environment = {
    ...recordStatements(statements),
    TEST_DATABASE_ADMIN_URL: postgres.url("postgres"),
    TEST_CONTRACTS_COMPILED: "1",
    TEST_FOLDER: folder,
    [BUNDLES]: bundles,
  };
  // The gateway starts with the same environment as in a test.
  Object.assign(process.env, environment);
  let gateway: SharedStack | undefined;
  const stop = async () => {
    await gateway?.stop();
    await postgres.stop();
  };
  try {
    gateway = await sharedStack();
  } catch (error) {
    await stop();
    throw error;
  }
  const file = join(folder, "shared-stack.json");
  writeJson(file, gateway);
  return { environment: { ...environment, TEST_SHARED_STACK: file }, statements, stop };
}
