// Checks that the tests named in the documentation exist: every table column "tests" of these pages contains only files
// and titles.
import { describe, expect, it } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../shared/paths.ts";

const PAGES = ["docs/spec-coverage.md", "settlement/README.md"];

/** `file.ts`: "a title", "the beginning of a title, …"; `another-file.ts` */
const REFERENCE = /`([^`]+)`((?:(?:: |, )"[^"]+")*)/;
const CELL = new RegExp(`^${REFERENCE.source}(; ${REFERENCE.source})*$`);
/** The literal title of a test, a group of tests, a table of either, or a check of `npm test`. */
const TITLE =
  /(?:\b(?:describe|it|test|check|inDeep)(?:\.\w+)*|\))\(\s*(?:"((?:[^"\\\n]|\\.)*)"|`([^`]*)`)\s*,/g;

const read = (file: string) => readFileSync(join(root, file), "utf8");
const titlesOf = (file: string) =>
  [...read(file).matchAll(TITLE)].map(([, text, template]) => text ?? template);

/** Returns the last cells of all tables whose last column is headed "tests". */
function testCells(page: string): string[] {
  const tables = page
    .split(/\n(?!\|)/)
    .map((text) => text.split("\n").filter((line) => line.startsWith("|")));
  const lastCell = (row: string) => row.split(" | ").at(-1)?.replace(/ \|$/, "") ?? "";
  return tables.flatMap(([head = "", , ...rows]) => (/\| tests \|$/.test(head) ? rows.map(lastCell) : []));
}

/** @returns the problems of a cell: missing files, and titles that match no test or several */
function problems(cell: string): string[] {
  if (!CELL.test(cell)) return [`not a list of files and titles: ${cell}`];
  return [...cell.matchAll(new RegExp(REFERENCE, "g"))].flatMap(([, file = "", quoted = ""]) => {
    if (!existsSync(join(root, file))) return [`no such file: ${file}`];
    return [...quoted.matchAll(/"([^"]+)"/g)].flatMap(([, title = ""]) => {
      const beginning = title.endsWith("…") ? title.slice(0, -1).trimEnd() : undefined;
      const matches = titlesOf(file).filter((one) =>
        beginning === undefined ? one === title : one?.startsWith(beginning),
      );
      return matches.length === 1 ? [] : [`${matches.length} tests of ${file} are called "${title}"`];
    });
  });
}

describe("the tests that a page names", () => {
  it.each(PAGES)("exist: %s", (page) => {
    const cells = testCells(read(page));
    expect(cells.length).toBeGreaterThan(5);
    expect(cells.flatMap(problems)).toEqual([]);
  });

  it("are checked for missing files, unknown and ambiguous titles, and other text", () => {
    const self = "scripts/testing/documented-tests.test.ts";
    expect(problems(`\`${self}\`; \`${self}\`: "exist: %s", "are checked for missing files, …"`)).toEqual([]);
    expect(problems('`test/none.test.ts`: "a title"')).toEqual(["no such file: test/none.test.ts"]);
    expect(problems(`\`${self}\`: "exist:"`)).toEqual([`0 tests of ${self} are called "exist:"`]);
    expect(problems(`\`${self}\`: "…"`)).toEqual([`3 tests of ${self} are called "…"`]);
    expect(problems(`\`${self}\`, and others`)).toHaveLength(1);
    expect(
      testCells("\n| rule | tests |\n| --- | --- |\n| a | `b` |\n\n| rule | why |\n| --- | --- |\n| c | d |"),
    ).toEqual(["`b`"]);
  });
});
