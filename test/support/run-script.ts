// Runs a command to completion as a user does.
import { entryPoint } from "#scripts/devnet/entry-point.ts";
import { root } from "#scripts/shared/paths.ts";

/** @param script file name in scripts/cli/ */
export async function runScript(script: string, args: readonly string[], env: Record<string, string>) {
  const child = Bun.spawn([process.execPath, entryPoint(`scripts/cli/${script}`), ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { output, errors, exitCode };
}
