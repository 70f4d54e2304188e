// Writes the committed files that a script generates, or only compares them if `--check` is set.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** The command-line option of every generator script. */
export const CHECK = { check: { type: "boolean", default: false } } as const;

/** @param file relative to the project's root */
export type GeneratedFile = { file: string; text: string };

/** Formats source code with the project's formatter. */
export function formatted(file: string, source: string): string {
  const biome = spawnSync(
    process.execPath,
    [join(root, "node_modules/@biomejs/biome/bin/biome"), "format", `--stdin-file-path=${file}`],
    { cwd: root, input: source, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
  );
  if (biome.status !== 0) throw new Error(`Biome could not format ${file}: ${biome.stderr}`);
  return biome.stdout;
}

function current(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/**
 * Writes the files that differ. With `checkOnly`, only reports the files that differ, and exits with 1 if there are
 * any.
 * @param command the command that writes the files
 */
export function settle(
  files: readonly GeneratedFile[],
  { command, checkOnly }: { command: string; checkOnly: boolean },
): void {
  const drifted = files.filter(({ file, text }) => current(join(root, file)) !== text);
  for (const { file, text } of drifted) {
    if (checkOnly) {
      console.error(`${file} is out of date: run \`${command}\` and commit it`);
      continue;
    }
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
    console.log(`wrote ${file}`);
  }
  if (checkOnly && drifted.length > 0) process.exit(1);
}
