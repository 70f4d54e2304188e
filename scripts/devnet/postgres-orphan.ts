// Cleans up a Postgres data folder after a kill -9, which leaves the server running or its pid file behind.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../shared/wait.ts";
import { commandLine, identify, isRunning, signal } from "./process-identity.ts";

/**
 * Frees a data folder for a new server by stopping the one that still uses it. Never deletes postmaster.pid, because
 * Postgres needs it to detect processes of a dead server that still hold its shared memory.
 * @returns whether a server was stopped
 */
export async function stopOrphanedPostgres(dataFolder: string): Promise<boolean> {
  const file = join(dataFolder, "postmaster.pid");
  if (!existsSync(file)) return false;
  const content = readFileSync(file, "utf8");
  const pid = Number(content.split("\n")[0]);
  const postmaster = identify(pid);
  if (postmaster === null) return false;
  if (!commandLine(pid)?.includes(dataFolder)) {
    // The pid now belongs to an unrelated process, which would prevent Postgres from starting. The rest of the file,
    // which identifies the shared memory, is kept.
    writeFileSync(file, content.replace(/^\d+/, String(deadPid())));
    return false;
  }
  // SIGINT is the fast shutdown, SIGQUIT the immediate one, after which the next start replays the WAL.
  for (const [name, timeoutMs] of [
    ["SIGINT", 20_000],
    ["SIGQUIT", 10_000],
  ] as const) {
    signal(postmaster, name);
    if (await gone(() => !isRunning(postmaster), timeoutMs)) return true;
  }
  throw new Error(
    `The Postgres in ${dataFolder} (pid ${pid}) did not stop. Stop it manually: kill -QUIT ${pid}`,
  );
}

async function gone(ask: () => boolean, timeoutMs: number): Promise<boolean> {
  try {
    return await until(ask, { what: "end of Postgres", timeoutMs });
  } catch {
    // The server is still running; the caller sends a stronger signal.
    return false;
  }
}

/** Returns a pid that is not in use: the pid of a process that has just exited. */
function deadPid(): number {
  return Bun.spawnSync(["true"]).pid;
}
