// Who runs: the record that a later start reads, to say where the gateway is or to clear away what it left.
import { readJson, writeJson } from "../shared/json-file.ts";
import { paths } from "../shared/paths.ts";
import { until } from "../shared/wait.ts";
import { identify, isRunning, type ProcessIdentity, signal } from "./process-identity.ts";

export interface RunningRecord {
  supervisor: ProcessIdentity;
  /** The process that started the supervisor and whose end is also its own; null if there is none. */
  launcher: ProcessIdentity | null;
  baseUrl: string;
  stopping: boolean;
  /** By service; Postgres's is its keeper. */
  processes: Record<string, ProcessIdentity>;
}

export function readRecord(): RunningRecord | undefined {
  return readJson<RunningRecord>(paths.processes);
}

export function writeRecord(record: RunningRecord): void {
  writeJson(paths.processes, record);
}

/** This process, as it stands in the record. */
export function myself(): ProcessIdentity {
  const me = identify(process.pid);
  if (!me) throw new Error("This process cannot see itself; is /proc mounted?");
  return me;
}

/** Whether the recorded gateway is on its way out: asked to stop, or without the process that it belongs to. */
export function isEnding(record: RunningRecord): boolean {
  return record.stopping || (record.launcher !== null && !isRunning(record.launcher));
}

/** Postgres writes everything before it ends; the others have little to do. */
const GRACE_MS = { postgres: 30_000, others: 7_000 };

/**
 * Ends what a killed supervisor left behind, Postgres last.
 * @returns the names of those that were still running
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
