// What integration tests start again and again, each in one file: resolving and transpiling a thousand modules takes most
// of the time in which a process starts.
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BunPlugin } from "bun";
import { root } from "../shared/paths.ts";

/** The indexer is not among them: Ponder loads its files itself. */
const PROCESSES = [
  ...["api/main.ts", "settlement/main.ts"],
  ...["accounts", "archive", "audit", "gateway", "keys", "migrate", "ops", "reconcile"].map(
    (name) => `scripts/cli/${name}.ts`,
  ),
];

/** A source finds its folder's other files as if it was not bundled. */
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

/** @param folder inside the checkout, where packages are found */
export async function bundleProcesses(folder: string): Promise<void> {
  const result = await Bun.build({
    entrypoints: PROCESSES.map((path) => join(root, path)),
    root,
    outdir: folder,
    target: "bun",
    splitting: true,
    // The recording of statements replaces a method of this package's (statements/record.preload.ts).
    external: ["pg"],
    plugins: [ownPlaces],
    throw: false,
  });
  if (!result.success)
    throw new Error(`The processes cannot be bundled.\n${result.logs.map(String).join("\n")}`);
}
