// The file that a process is started with.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "../shared/paths.ts";

/** Names the folder in which a test run has bundled processes (scripts/testing/bundle-processes.ts). */
export const BUNDLES = "TEST_BUNDLES";

/** @param source in the checkout, e.g. "api/main.ts" */
export function entryPoint(source: string): string {
  const folder = process.env[BUNDLES];
  const bundle = folder && join(folder, source.replace(/\.ts$/, ".js"));
  return bundle && existsSync(bundle) ? bundle : join(root, source);
}
