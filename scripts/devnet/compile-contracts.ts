// Compiles the contracts; Hardhat skips unchanged ones.
import { join } from "node:path";
import { createPrivateFolder, dataDir, paths, root } from "../shared/paths.ts";
import { startBunChild } from "./child.ts";
import { committedArtifacts } from "./compiled.ts";
import { acquireLock } from "./lock.ts";

/** Hardhat's command line, run by Bun. */
export const hardhatCli = join(root, "node_modules/hardhat/dist/src/cli.js");

/** Maximum wait for another process's compilation, which takes seconds unless it hangs. */
const OTHER_COMPILATION_MS = 180_000;

/** Compiles this checkout's contracts for deployment, unless the committed compilation is up to date. */
export async function ensureCompiled(log: string): Promise<void> {
  if (!committedArtifacts()) await compileContracts(log);
}

/**
 * Updates artifacts/ from contracts/. Takes a lock, because a test run may compile alongside `npm start`.
 * @param sources default: everything but the tests
 */
export async function compileContracts(
  log: string,
  sources: readonly string[] = ["--no-tests"],
): Promise<void> {
  createPrivateFolder(dataDir);
  const lock = acquireLock(paths.compileLock, OTHER_COMPILATION_MS);
  if (!lock)
    throw new Error("Another process has been compiling the contracts for minutes and may be stuck.");
  try {
    const compiler = await startBunChild({
      name: "compiler",
      args: [hardhatCli, "build", ...sources],
      cwd: root,
      log,
    });
    const how = await compiler.exited;
    if (how !== "exit code 0")
      throw new Error(`Compiling the contracts failed (${how}).\n${compiler.tail(40)}`);
  } finally {
    lock.release();
  }
}
