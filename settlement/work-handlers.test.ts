// Checks that README.md in this folder lists every work purpose.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { WORK_PURPOSES } from "#core/db/schema/work.ts";

test("every purpose has a row with its handler and what makes it due", () => {
  const readme = readFileSync(join(import.meta.dirname, "README.md"), "utf8");
  const rows = readme.matchAll(/^\| `(\w+)` \| \w+\/[\w-]+ \| .+ \|$/gm);
  expect([...rows].map(([, purpose]) => purpose)).toEqual([...WORK_PURPOSES]);
});
