// Which test files there are, and which of them a run is asked for.
import { Glob } from "bun";
import { root } from "../shared/paths.ts";

/** What only `npm run test:deep` has time for. */
const DEEP_FILE = /\.deep\.test\.tsx?$/;

/** Test files under the folders (or whose path begins so), as Bun takes them literally ("./core/money.test.ts"), in a steady order. */
export function testFiles(folders: readonly string[], filters: readonly string[] = []): string[] {
  const files = folders.flatMap((folder) =>
    [`${folder}/**/*.test.{ts,tsx}`, `${folder}.test.{ts,tsx}`].flatMap((pattern) => [
      ...new Glob(pattern).scanSync({ cwd: root, onlyFiles: true }),
    ]),
  );
  return files
    .filter((file) => process.env.DEEP === "1" || !DEEP_FILE.test(file))
    .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
    .sort()
    .map((file) => `./${file}`);
}
