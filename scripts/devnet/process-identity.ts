// Distinguishes a process from a later one with the same pid, so that an unrelated process is never signalled.
import { readFileSync } from "node:fs";
import { errorCode } from "../shared/errors.ts";

export interface ProcessIdentity {
  pid: number;
  /** Start time in a system-specific format; equal only for the same process of the same boot. */
  started: string;
}

/** Returns the identity of a running process; null if the process does not exist or is a zombie. */
export function identify(pid: number): ProcessIdentity | null {
  const started = process.platform === "linux" ? startedOnLinux(pid) : startedByPs(pid);
  return started === null ? null : { pid, started };
}

/** Whether exactly this process is still running. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.started === identity.started;
}

/** Returns a process's arguments separated by spaces; null if it has exited or is not visible to this user. */
export function commandLine(pid: number): string | null {
  if (process.platform !== "linux") return ps(pid, "command=");
  return readIfThere(`/proc/${pid}/cmdline`)?.replaceAll("\0", " ").trim() ?? null;
}

/**
 * Sends a signal if exactly this process is still running.
 * @returns whether the process was found
 */
export function signal(identity: ProcessIdentity, name: NodeJS.Signals): boolean {
  if (!isRunning(identity)) return false;
  try {
    process.kill(identity.pid, name);
    return true;
  } catch (error) {
    if (errorCode(error) === "ESRCH") return false;
    throw error;
  }
}

function startedOnLinux(pid: number): string | null {
  const stat = readIfThere(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The second field is the name in parentheses, which may contain any character. The third field is the state, the
  // 22nd the start time.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields[0] === "Z" || fields[0] === "X") return null;
  return `${readIfThere("/proc/sys/kernel/random/boot_id")?.trim() ?? "boot"}/${fields[19]}`;
}

function startedByPs(pid: number): string | null {
  const [state, ...started] = (ps(pid, "state=,lstart=") ?? "Z").split(/\s+/);
  return state?.startsWith("Z") ? null : started.join(" ");
}

function ps(pid: number, columns: string): string | null {
  const result = Bun.spawnSync(["ps", "-o", columns, "-p", String(pid)]);
  const line = result.stdout.toString().trim();
  return result.exitCode === 0 && line !== "" ? line : null;
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ESRCH" || code === "EACCES") return null;
    throw error;
  }
}
