// Runs one Postgres server, and shuts it down properly on request or when the parent process is gone.
// Usage: bun postgres-keeper.ts '{"command": [...], "cwd": "...", "runAs": {"uid": 1, "gid": 1}}'
import { spawn } from "node:child_process";
import { onParentGone } from "./end-with-parent.ts";

export interface KeeperTask {
  command: [string, ...string[]];
  cwd: string;
  runAs: { uid: number; gid: number } | undefined;
}

const task = JSON.parse(process.argv[2] ?? "") as KeeperTask;
const postgres = spawn(task.command[0], task.command.slice(1), {
  cwd: task.cwd,
  ...task.runAs,
  stdio: "inherit",
});

// SIGINT is Postgres's fast shutdown, which ends all sessions and writes all data.
const stop = () => postgres.kill("SIGINT");
process.on("SIGTERM", stop);
// SIGQUIT is the immediate shutdown; the next start replays the WAL.
process.on("SIGQUIT", () => postgres.kill("SIGQUIT"));
process.on("SIGINT", stop);
onParentGone(stop);

postgres.on("error", (error) => {
  console.error(error.message);
  process.exit(1);
});
postgres.on("exit", (code) => process.exit(code ?? 1));
