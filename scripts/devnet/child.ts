// A child process with a log file. It runs in its own session, so that Ctrl-C reaches only the supervisor, which
// decides the shutdown order.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, errorCode } from "../shared/errors.ts";
import { until } from "../shared/wait.ts";
import { END_WITH_PARENT } from "./end-with-parent.ts";
import { identify, isRunning, type ProcessIdentity, signal } from "./process-identity.ts";

export interface ChildOptions {
  /** The name used in messages, e.g. "api". */
  name: string;
  command: readonly [string, ...string[]];
  env?: Record<string, string>;
  cwd?: string;
  /** Standard output and error are appended here. */
  log: string;
}

export interface Child extends ProcessIdentity {
  name: string;
  /** Resolves to how the process exited, e.g. "exit code 1" or "SIGKILL". Never rejects. */
  exited: Promise<string>;
  /** How the process exited; null while it is running. */
  ended: () => string | null;
  /** Sends SIGTERM, then SIGKILL after the grace period, and resolves when the process has exited. */
  stop(options?: { signal?: NodeJS.Signals; graceMs?: number }): Promise<void>;
  /** Sends a signal if the process is still running. */
  signal(name: NodeJS.Signals): void;
  /** Returns the last lines of the log. */
  tail(lines?: number): string;
}

/**
 * Makes Bun's allocator keep freed memory, unless the user's environment has another value. By default, it soon returns
 * it to the system, and requests it again with the next batch of work (docs/deployment.md).
 */
export const KEEP_FREED_MEMORY = { MIMALLOC_PURGE_DELAY: process.env.MIMALLOC_PURGE_DELAY ?? "-1" };

/** Running process groups, each led by a child of this process. */
const groups = new Set<number>();

// Ends the processes that were not stopped in order, and their children, such as a compiler when a start is
// interrupted.
process.on("exit", () => {
  for (const group of groups) {
    try {
      process.kill(-group, "SIGTERM");
    } catch (error) {
      if (errorCode(error) !== "ESRCH") console.error(describe(error));
    }
  }
});

/** Starts a child process that exits with this one. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const log = openSync(options.log, "a", 0o600);
  const process_ = spawn(options.command[0], options.command.slice(1), {
    cwd: options.cwd,
    env: { ...process.env, ...options.env, [END_WITH_PARENT]: String(process.pid) },
    stdio: ["ignore", log, log],
    detached: true,
  });
  closeSync(log);
  let ended: string | null = null;
  const exited = whenEnded(process_).then((how) => {
    ended = how;
    groups.delete(pid);
    return how;
  });
  const pid = process_.pid ?? 0;
  await started(process_, options);
  if (ended === null) groups.add(pid);
  // A process that has already exited has no start time, and is never signalled.
  const identity = identify(pid) ?? { pid, started: "gone" };
  return {
    ...identity,
    name: options.name,
    exited,
    ended: () => ended,
    signal: (name) => void signal(identity, name),
    tail: (lines = 15) => readTail(options.log, lines),
    async stop({ signal: name = "SIGTERM", graceMs = 5_000 } = {}) {
      if (!isRunning(identity)) return;
      signal(identity, name);
      const insist = setTimeout(() => signal(identity, "SIGKILL"), graceMs);
      await exited;
      clearTimeout(insist);
    },
  };
}

/** Starts a Bun program that does not watch its parent, and makes it exit with this process. */
export function startBunChild(
  options: Omit<ChildOptions, "command"> & { args: readonly string[] },
): Promise<Child> {
  const preload = join(import.meta.dir, "end-with-parent.preload.ts");
  return startChild({
    ...options,
    env: { ...KEEP_FREED_MEMORY, ...options.env },
    command: [process.execPath, "--preload", preload, ...options.args],
  });
}

/**
 * Polls until a child is ready, and returns the result.
 * @throws Error with the end of the log if the child exits or is not ready in time
 */
export async function childReady<T>(
  child: Child,
  timeoutMs: number,
  ask: () => T | Promise<T>,
): Promise<Exclude<T, null | false>> {
  const wait = until(ask, {
    what: `Readiness of the ${child.name}`,
    timeoutMs,
    check() {
      if (child.ended() !== null) throw new Error(`The ${child.name} exited (${child.ended()}).`);
    },
  });
  return await wait.catch((cause: Error) => {
    throw new Error(`${cause.message}\n${child.tail()}`, { cause });
  });
}

/** Returns the last lines of a log. */
export function readTail(log: string, lines: number): string {
  return readFileSync(log, "utf8").trimEnd().split("\n").slice(-lines).join("\n");
}

function started(child: ChildProcess, { name, command }: ChildOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error) =>
      reject(new Error(`Could not start ${name} (${command[0]}): ${error.message}`)),
    );
  });
}

function whenEnded(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("exit", (code, name) => resolve(name ?? `exit code ${code}`));
    child.once("error", (error) => resolve(error.message));
  });
}
