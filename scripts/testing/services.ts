// What integration tests share in one run: a Postgres, in which each makes databases of its own, and a gateway.
import { join } from "node:path";
import { type SharedStack, sharedStack } from "#test/support/shared-stack.ts";
import { BUNDLES } from "../devnet/entry-point.ts";
import { startPostgres } from "../devnet/postgres.ts";
import type { TestFolder } from "../devnet/test-folder.ts";
import { writeJson } from "../shared/json-file.ts";
import { privateFolder } from "../shared/paths.ts";
import { bundleProcesses } from "./bundle-processes.ts";
import { RECORD_FOLDER } from "./statements/recorded.ts";

export interface Services {
  /** Names their addresses to the tests (test/support). */
  environment: Record<string, string>;
  /** Where their processes record the statements that they send. */
  statements: string;
  stop(): Promise<void>;
}

/** Has every process that Bun runs record the statements that it sends (statements/record.preload.ts). */
function recordStatements(folder: string): Record<string, string> {
  const preload = join(import.meta.dir, "statements", "record.preload.ts");
  return { [RECORD_FOLDER]: folder, BUN_OPTIONS: `--preload=${preload}` };
}

/** Starts them; the contracts can be deployed by now: they were committed compiled, or the run began with that. */
export async function startServices({ folder, postgres: home, logs }: TestFolder): Promise<Services> {
  const bundles = privateFolder(join(folder, "bundles"));
  await bundleProcesses(bundles);
  const postgres = await startPostgres({ folder: home, log: join(logs, "postgres.log"), durable: false });
  const statements = privateFolder(join(folder, "statements"));
  const environment = {
    ...recordStatements(statements),
    TEST_DATABASE_ADMIN_URL: postgres.url("postgres"),
    TEST_CONTRACTS_COMPILED: "1",
    TEST_FOLDER: folder,
    [BUNDLES]: bundles,
  };
  // The gateway is started as a test would start it.
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
