// Stops this folder's gateway from another process, and any processes that a killed gateway left running.
import { existsSync } from "node:fs";
import { dataDir, paths } from "../shared/paths.ts";
import { until } from "../shared/wait.ts";
import { acquireLock } from "./lock.ts";
import { stopPostgres } from "./postgres.ts";
import { isRunning, signal } from "./process-identity.ts";
import { endOrphans, readRecord } from "./running.ts";

/** Postgres alone may take half a minute to write its data. */
const STOP_MS = 60_000;

/** @returns whether anything was running */
export async function stopGateway(): Promise<boolean> {
  if (!existsSync(dataDir)) return false;
  const record = readRecord();
  if (!record) return false;
  const ran = signal(record.supervisor, "SIGTERM");
  await until(() => !isRunning(record.supervisor), { what: "Shutdown of the gateway", timeoutMs: STOP_MS });
  // If another start has acquired the lock in the meantime, its children are not orphans.
  const lock = acquireLock(paths.lock, STOP_MS);
  if (!lock) return ran;
  const orphans = await endOrphans(readRecord() ?? record);
  const postgres = await stopPostgres(paths.postgres);
  lock.release();
  return ran || orphans.length > 0 || postgres;
}
