// A process is identified by its pid and start time: a later process with the same pid is a different one.
import { expect, test } from "bun:test";
import { until } from "../shared/wait.ts";
import { commandLine, identify, isRunning, signal } from "./process-identity.ts";

const sleeper = () => Bun.spawn(["sleep", "60"], { stdin: "ignore" });

test("a process keeps its identity while it runs", async () => {
  const child = sleeper();
  const identity = identify(child.pid);
  expect(identity).toEqual(identify(child.pid));
  expect(identity && isRunning(identity)).toBe(true);
  // Until the new process has executed the program, it has no command line.
  await until(() => commandLine(child.pid) !== "", { what: "The command's line", timeoutMs: 5_000 });
  expect(commandLine(child.pid)).toContain("60");
  child.kill("SIGKILL");
  await child.exited;
  expect(identity && isRunning(identity)).toBe(false);
  expect(identify(child.pid)).toBeNull();
});

test("a process that reuses a pid is never signaled by mistake", async () => {
  const child = sleeper();
  const predecessor = { pid: child.pid, started: "earlier" };
  expect(isRunning(predecessor)).toBe(false);
  expect(signal(predecessor, "SIGKILL")).toBe(false);
  expect(identify(child.pid)).not.toBeNull();
  child.kill("SIGKILL");
  await child.exited;
});

test("signaling an exited process is not an error", async () => {
  const child = sleeper();
  const identity = identify(child.pid);
  child.kill("SIGKILL");
  await child.exited;
  expect(identity && signal(identity, "SIGTERM")).toBe(false);
});
