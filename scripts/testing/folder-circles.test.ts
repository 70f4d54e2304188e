// Tests the search for folders that import each other, and applies it to this repository.
import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROVIDER_APIS } from "#core/config/off-ramp-config.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { root } from "../shared/paths.ts";
import { folderCircles } from "./folder-circles.ts";

describe("folders that import each other", () => {
  const made = temporaryFolder("folders");

  test("are found through other folders, and through type imports", () => {
    const files = {
      "role/main.ts": 'import "./a/one.ts";',
      "role/a/one.ts": 'import { two } from "../b/two.ts";',
      "role/b/two.ts": 'import type { Three } from "#role/c/three.ts";',
      "role/c/three.ts": 'await import("../a/one.ts");',
      "role/d/alone.ts": 'import "../a/one.ts";',
    };
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(join(made, file, ".."), { recursive: true });
      writeFileSync(join(made, file), text);
    }
    expect(folderCircles(made, "role")).toEqual([["role/a", "role/b", "role/c"]]);
  });

  test.each(["api", "core", "indexer", "scripts", "sdk", "test", "web"])("do not exist in %s", (area) => {
    expect(folderCircles(root, area)).toEqual([]);
  });

  test("exist in settlement only once: the off-ramp interface selects among the adapters that implement it", () => {
    const adapters = PROVIDER_APIS.map((api) => `settlement/off-ramp/${api}`).sort();
    expect(folderCircles(root, "settlement")).toEqual([["settlement/off-ramp", ...adapters]]);
  });
});
