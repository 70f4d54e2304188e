// Determines the file with which a process is started.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "../shared/paths.ts";

/**
 * Environment variable with the folder of the processes that a test run has bundled
 * (scripts/testing/bundle-processes.ts).
 */
export const BUNDLES = "TEST_BUNDLES";

/** @param source path in the checkout, e.g. "api/main.ts" */
export function entryPoint(source: string): string {
  const folder = process.env[BUNDLES];
  const bundle = folder && join(folder, source.replace(/\.ts$/, ".js"));
  return bundle && existsSync(bundle) ? bundle : join(root, source);
}
