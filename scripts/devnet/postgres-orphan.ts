// What an earlier Postgres left in its data folder after a kill -9: itself, or a file that says that it runs.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../shared/wait.ts";
import { commandLine, identify, isRunning, signal } from "./process-identity.ts";

/**
 * Makes a data folder free for a new server: stops the one that still runs there.
 * postmaster.pid is never deleted: by it Postgres notices processes of a dead server that still hold its memory.
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
    // The pid belongs to a stranger now, and Postgres would refuse to start for its sake. The rest of the file, which
    // names the shared memory, stays.
    writeFileSync(file, content.replace(/^\d+/, String(deadPid())));
    return false;
  }
  // SIGINT: end sessions, write everything, stop. SIGQUIT: stop at once; the next start replays the log.
  for (const [name, timeoutMs] of [
    ["SIGINT", 20_000],
    ["SIGQUIT", 10_000],
  ] as const) {
    signal(postmaster, name);
    if (await gone(() => !isRunning(postmaster), timeoutMs)) return true;
  }
  throw new Error(
    `The Postgres in ${dataFolder} (pid ${pid}) does not stop. Stop it by hand: kill -QUIT ${pid}`,
  );
}

async function gone(ask: () => boolean, timeoutMs: number): Promise<boolean> {
  try {
    return await until(ask, { what: "end of Postgres", timeoutMs });
  } catch {
    // Still there after all that time: the caller has a stronger means.
    return false;
  }
}

/** A pid that nobody has: that of a process which has just ended. */
function deadPid(): number {
  return Bun.spawnSync(["true"]).pid;
}
