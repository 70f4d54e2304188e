// Checks the wording of code, comments, texts and documents: spelling and the glossary's flagged words with cspell
// (cspell.json), flagged phrases here.
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../shared/paths.ts";

const CHECKED = ["ts", "tsx", "mjs", "sol", "sql", "md", "yaml", "yml", "css"].map((ending) => `*.${ending}`);
/** Generated, contains German, or never changes once applied. */
const LEFT_OUT = [
  "core/chain/abi",
  "core/db/migrations",
  "sdk/src/schema.ts",
  "web/i18n",
  "web/**/*texts.ts",
  "web/**/*texts.test.ts",
].map((path) => `:(exclude,glob)${path.includes(".") ? path : `${path}/**`}`);

/** Phrases that cspell cannot flag, each with its replacement. */
const PHRASES: readonly [phrase: RegExp, instead: string][] = [
  [/\b(takes?|taken|took) up\b/i, "claim"],
  [/\bin hand\b/i, "claimed, in progress"],
  [/\bstands? on\b/i, "depends on"],
  [/\blooks? again\b/i, "polls, retries"],
  [/\bfor whom\b/i, "the caller who"],
  [/\bset aside\b|\bsetAside\b/i, "orphaned"],
];

const files = Bun.spawnSync(["git", "ls-files", "-z", "--", ...CHECKED, ...LEFT_OUT], { cwd: root })
  .stdout.toString()
  .split("\0")
  .filter((file) => file !== "" && file !== "scripts/testing/check-words.ts");
if (files.length === 0) throw new Error("git lists no files to check.");

const phrases = files.flatMap((file) =>
  readFileSync(join(root, file), "utf8")
    .split("\n")
    .flatMap((line, index) =>
      PHRASES.flatMap(([phrase, instead]) => {
        const found = phrase.exec(line)?.[0];
        return found === undefined ? [] : [`${file}:${index + 1} - "${found}": write ${instead}`];
      }),
    ),
);

const list = join(tmpdir(), `words-${process.pid}.txt`);
writeFileSync(list, files.map((file) => join(root, file)).join("\n"));
const { exitCode } = Bun.spawnSync(
  [
    process.execPath,
    join(root, "node_modules/cspell/bin.mjs"),
    "lint",
    "--no-progress",
    "--no-summary",
    "--file-list",
    list,
  ],
  { cwd: root, stdout: "inherit", stderr: "inherit" },
);
for (const line of phrases) console.log(line);
process.exit(exitCode === 0 && phrases.length === 0 ? 0 : 1);
