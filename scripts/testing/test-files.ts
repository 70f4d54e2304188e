// Which test files there are, and which of them a run is asked for.
import { Glob } from "bun";
import { root } from "../local/paths.ts";

/** Test files under the folders, as Bun takes them literally ("./core/money.test.ts"), in a steady order. */
export function testFiles(folders: readonly string[], filters: readonly string[] = []): string[] {
  const files = folders.flatMap((folder) => [
    ...new Glob(`${folder}/**/*.test.{ts,tsx}`).scanSync({ cwd: root, onlyFiles: true }),
  ]);
  return files
    .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
    .sort()
    .map((file) => `./${file}`);
}
