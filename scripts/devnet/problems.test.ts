// Tests that each error in the roles' logs is printed to the terminal once, and that no other line is.
import { expect, test } from "bun:test";
import { appendFileSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { ProblemWatch } from "./problems.ts";

const folder = temporaryFolder("problems");

function watched(before = "") {
  const log = join(mkdtempSync(`${folder}/`), "api.log");
  writeFileSync(log, before);
  const reported: string[] = [];
  const watch = new ProblemWatch(log, (line) => reported.push(line));
  return { watch, reported, append: (text: string) => appendFileSync(log, text) };
}

const error = (msg: string) => `${JSON.stringify({ level: 50, msg })}\n`;

test("an error is reported with its log file; other lines are not", () => {
  const { watch, reported, append } = watched();
  append(`plain text\n{broken\n${JSON.stringify({ level: 30, msg: "fine" })}\n${error("bank is away")}`);
  append(`${JSON.stringify({ level: "error", msg: "lost the lock" })}\n`);
  watch.poll();
  expect(reported).toEqual([
    "api reports: bank is away (.data/logs/api.log)",
    "api reports: lost the lock (.data/logs/api.log)",
  ]);
});

test("lines written before the watch started are not reported", () => {
  const { watch, reported } = watched(error("long ago"));
  watch.poll();
  expect(reported).toEqual([]);
});

test("the same problem is reported again only after a minute", () => {
  const { watch, reported, append } = watched();
  append(error("again") + error("again"));
  watch.poll(0);
  append(error("again"));
  watch.poll(59_000);
  expect(reported).toHaveLength(1);
  append(error("again"));
  watch.poll(61_000);
  expect(reported).toHaveLength(2);
});

test("a line that is written in two parts is read as one line", () => {
  const { watch, reported, append } = watched();
  const line = error("in two parts");
  append(line.slice(0, 20));
  watch.poll();
  append(line.slice(20));
  watch.poll();
  expect(reported).toHaveLength(1);
});
