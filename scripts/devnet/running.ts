// The record of the running gateway. A later start uses it to report the gateway's address, or to stop leftover
// processes.
import { readJson, writeJson } from "../shared/json-file.ts";
import { paths } from "../shared/paths.ts";
import { until } from "../shared/wait.ts";
import { identify, isRunning, type ProcessIdentity, signal } from "./process-identity.ts";

export interface RunningRecord {
  supervisor: ProcessIdentity;
  /** The process that started the supervisor, which exits with it; null if there is none. */
  launcher: ProcessIdentity | null;
  baseUrl: string;
  stopping: boolean;
  /** Processes by service; for Postgres, the keeper. */
  processes: Record<string, ProcessIdentity>;
}

export function readRecord(): RunningRecord | undefined {
  return readJson<RunningRecord>(paths.processes);
}

export function writeRecord(record: RunningRecord): void {
  writeJson(paths.processes, record);
}

/** Returns this process's identity for the record. */
export function identifyThisProcess(): ProcessIdentity {
  const me = identify(process.pid);
  if (!me) throw new Error("This process cannot read its own identity. Check that /proc is mounted.");
  return me;
}

/** Whether the recorded gateway is shutting down: it was asked to stop, or its parent process is gone. */
export function isEnding(record: RunningRecord): boolean {
  return record.stopping || (record.launcher !== null && !isRunning(record.launcher));
}

/** Grace periods. Postgres writes all data before it exits; the others have little to do. */
const GRACE_MS = { postgres: 30_000, others: 7_000 };

/**
 * Stops the processes that a killed supervisor left running, Postgres last.
 * @returns the names of the services that were still running
 */
export async function endOrphans(record: RunningRecord): Promise<string[]> {
  const orphans = Object.entries(record.processes).filter(([, identity]) => isRunning(identity));
  const isPostgres = ([name]: [string, ProcessIdentity]) => name === "postgres";
  await Promise.all(
    orphans.filter((one) => !isPostgres(one)).map(([, identity]) => end(identity, GRACE_MS.others)),
  );
  await Promise.all(orphans.filter(isPostgres).map(([, identity]) => end(identity, GRACE_MS.postgres)));
  return orphans.map(([name]) => name);
}

async function end(identity: ProcessIdentity, graceMs: number): Promise<void> {
  signal(identity, "SIGTERM");
  const deadline = Date.now() + graceMs;
  await until(
    () => {
      if (Date.now() > deadline) signal(identity, "SIGKILL");
      return !isRunning(identity);
    },
    { what: `The end of process ${identity.pid}`, timeoutMs: graceMs + 5_000 },
  );
}
