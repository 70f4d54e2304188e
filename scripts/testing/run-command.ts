// Runs one tool of a test run: streams its output to the terminal, and keeps it for the step.
import { spawn } from "node:child_process";
import { setPriority } from "node:os";
import { root } from "../shared/paths.ts";
import { print } from "./print.ts";

/** A process that has already ended has no priority. */
function lowerPriority(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

export interface CommandResult {
  exitCode: number;
  output: string;
}

/**
 * Runs a tool until it exits; a missing tool counts as a failure.
 * @param options `quiet` keeps the output without printing it; the highest `niceness`, 19, is the lowest priority
 */
export function runCommand(
  command: readonly [string, ...string[]],
  env: Record<string, string> = {},
  { quiet = false, niceness = 0 } = {},
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const [program, ...args] = command;
    const child = spawn(program, args, {
      cwd: root,
      // Disables colors, because the output is a pipe, even if a CI environment makes a tool assume a terminal.
      env: { ...process.env, NO_COLOR: "1", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    if (child.pid !== undefined && niceness > 0) lowerPriority(child.pid, niceness);
    let output = "";
    const take = (data: Buffer) => {
      if (!quiet) print(data.toString());
      output += data.toString();
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.once("error", (error) => {
      print(`Could not start ${program}: ${error.message}\n`);
      resolve({ exitCode: 127, output });
    });
    child.once("close", (code) => resolve({ exitCode: code ?? 1, output }));
  });
}
