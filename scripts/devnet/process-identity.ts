// Distinguishes a process from a later one that was given the same pid, so that a stranger is never signalled.
import { readFileSync } from "node:fs";
import { errorCode } from "../shared/errors.ts";

export interface ProcessIdentity {
  pid: number;
  /** When it started, in the system's own words; equal only for the same process of the same boot. */
  started: string;
}

/** The identity of a live process; null if there is none with this pid (a zombie counts as none). */
export function identify(pid: number): ProcessIdentity | null {
  const started = process.platform === "linux" ? startedOnLinux(pid) : startedByPs(pid);
  return started === null ? null : { pid, started };
}

/** Whether exactly this process still runs. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.started === identity.started;
}

/** Its command line, arguments separated by spaces; null if it is gone or not ours to see. */
export function commandLine(pid: number): string | null {
  if (process.platform !== "linux") return ps(pid, "command=");
  return readIfThere(`/proc/${pid}/cmdline`)?.replaceAll("\0", " ").trim() ?? null;
}

/**
 * Sends a signal if exactly this process still runs.
 * @returns whether it was there to be signalled
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
  // The second field is the name in parentheses and may hold anything; the third is the state, the 22nd the start.
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
