// Lists the test files, and selects those that a run requests.
import { Glob } from "bun";
import { root } from "../shared/paths.ts";

/** Only `npm run test:deep` has time for these. */
const DEEP_FILE = /\.deep\.test\.tsx?$/;

/**
 * The test files whose path begins with one of these, in Bun's literal form ("./core/money.test.ts") and in a stable
 * order.
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
