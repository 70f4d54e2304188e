// Lists the test files, and selects those that a run requests.
import { Glob } from "bun";
import { root } from "../shared/paths.ts";

/** Test files that are too slow for any run but `npm run test:deep`. */
const DEEP_FILE = /\.deep\.test\.tsx?$/;

/**
 * Returns the test files in these folders that match a filter, in Bun's literal form ("./core/money.test.ts") and in a
 * stable order.
 */
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
