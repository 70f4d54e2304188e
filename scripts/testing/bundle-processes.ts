// Bundles the processes that integration tests start repeatedly into few files, because resolving and transpiling a
// thousand modules takes most of a process's start-up time.
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BunPlugin } from "bun";
import { root } from "../shared/paths.ts";

/** Excludes the indexer, because Ponder loads its files itself. */
const PROCESSES = [
  ...["api/main.ts", "settlement/main.ts"],
  ...["accounts", "archive", "audit", "gateway", "keys", "migrate", "ops", "reconcile"].map(
    (name) => `scripts/cli/${name}.ts`,
  ),
];

/** Lets a source file find other files relative to its own folder, as if it were not bundled. */
const ownPlaces: BunPlugin = {
  name: "own places",
  setup(build) {
    build.onLoad({ filter: /^(?!.*\/node_modules\/).*\.tsx?$/ }, async ({ path }) => {
      const text = await Bun.file(path).text();
      return {
        contents: text
          .replaceAll("import.meta.dir", JSON.stringify(dirname(path)))
          .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href)),
        loader: path.endsWith("x") ? "tsx" : "ts",
      };
    });
  },
};

/** @param folder must be inside the checkout, where packages can be resolved */
export async function bundleProcesses(folder: string): Promise<void> {
  const result = await Bun.build({
    entrypoints: PROCESSES.map((path) => join(root, path)),
    root,
    outdir: folder,
    target: "bun",
    splitting: true,
    // statements/record.preload.ts replaces a method of this package.
    external: ["pg"],
    plugins: [ownPlaces],
    throw: false,
  });
  if (!result.success)
    throw new Error(`Bundling the processes failed.\n${result.logs.map(String).join("\n")}`);
}
