// Finds folders that import each other, directly or through others, because such folders cannot be read or moved
// separately. Imports between files are checked by Biome's noImportCycles.
import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { Glob } from "bun";

const IMPORT = /\b(?:from|import)\s*\(?\s*"((?:\.{1,2}\/|#)[^"]+)"/g;

const isTest = (file: string) => /\.test\.tsx?$/.test(file);

function* readImports(folder: string, file: string): Iterable<string> {
  for (const [, name = ""] of readFileSync(posix.join(folder, file), "utf8").matchAll(IMPORT)) {
    yield name.startsWith("#") ? name.slice(1) : posix.join(posix.dirname(file), name);
  }
}

/** Returns every folder and file that a node's files import, directly or through others. */
function reachable(from: string, imports: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const found = new Set<string>();
  const pending = [from];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    for (const next of imports.get(node) ?? []) {
      if (found.has(next)) continue;
      found.add(next);
      pending.push(next);
    }
  }
  return found;
}

/**
 * @param area a folder below the root; each file directly in it counts as a folder, because it connects the others
 * @returns the folders of each cycle, including types and dynamic imports but excluding tests
 */
export function folderCircles(root: string, area: string): string[][] {
  const nodeOf = (file: string) => (posix.dirname(file) === area ? file : posix.dirname(file));
  const imports = new Map<string, Set<string>>();
  for (const file of new Glob(`${area}/**/*.{ts,tsx}`).scanSync(root)) {
    if (isTest(file)) continue;
    const node = nodeOf(file);
    const found = imports.get(node) ?? new Set();
    imports.set(node, found);
    for (const imported of readImports(root, file)) {
      if (imported.startsWith(`${area}/`) && nodeOf(imported) !== node) found.add(nodeOf(imported));
    }
  }
  const circles = new Map<string, string[]>();
  for (const node of [...imports.keys()].sort()) {
    const reached = reachable(node, imports);
    const circle = [...reached].filter((other) => reachable(other, imports).has(node)).sort();
    if (circle.includes(node)) circles.set(circle.join(), circle);
  }
  return [...circles.values()];
}
