// Checks the wording of code, comments, texts and documents: cspell checks the spelling and the glossary's flagged
// words (cspell.json), this script the flagged phrases.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../shared/paths.ts";

const CHECKED = [
  ...["ts", "tsx", "mjs", "sol", "sql", "md", "yaml", "yml", "css"],
  ...["json", "jsonc", "html", "svg", "sh", "tree", "example"],
].map((ending) => `*.${ending}`);
const CHECKED_FILES = [".ci/run", "Dockerfile", "deploy/Caddyfile", "scripts/hooks/pre-commit"];
/** Files that are generated from other files, or installed. */
const LEFT_OUT = [
  "contracts/abi/**",
  "contracts/test/vectors/*.json",
  "core/chain/abi/**",
  "core/db/migrations/meta/**",
  "cspell.json",
  "docs/openapi.json",
  "scripts/devnet/compiled.json",
  "scripts/devnet/test-token-abi.ts",
  "sdk/src/types/schema.ts",
  "test/timings.json",
  "tools/package-lock.json",
].map((path) => `:(exclude,glob)${path}`);

/** Phrases that cspell cannot flag, each with its replacement. */
const PHRASES: readonly [phrase: RegExp, instead: string][] = [
  [/\b(takes?|taken|took) up\b/i, "claim"],
  [/\bin hand\b/i, "claimed, in progress"],
  [/\bstands? on\b/i, "depends on"],
  [/\blook(s|ed|ing)? (again|ahead|at|after|back|out)\b/i, "poll, retry, read"],
  [/\bLOOKS?_|_LOOKS?(?![A-Z])/, "poll, read"],
  [/\b(take[ns]?|taking|took) back\b|[tT]akenBack/, "reverted, reorged"],
  [/\bfor good\b/i, "permanently"],
  [/\ball that\b/i, "every, everything that"],
  [/\bmet nobody\b/i, "received no response"],
  [/(\b[lL]|[a-z]L)ook(s|ed|ing)?(Again|Ahead|At|After|Back|Out)(?![a-z])/, "poll, retry, read"],
  [/(?<!-)\bHint\b|\bhinted\b/, "reported transaction, notification"],
  [/\bkeep mark\b/i, "high-water mark"],
  [/\b[mM]end(s|ed)?\b|[a-z]Mends?(?![a-z])/, "fix"],
  [/\bfor whom\b/i, "the caller who"],
  [/\bset aside\b|\bsetAside\b/i, "orphaned"],
];

const files = Bun.spawnSync(["git", "ls-files", "-z", "--", ...CHECKED, ...CHECKED_FILES, ...LEFT_OUT], {
  cwd: root,
})
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

const { exitCode } = Bun.spawnSync(
  [
    process.execPath,
    join(root, "node_modules/cspell/bin.mjs"),
    "lint",
    "--no-progress",
    "--no-summary",
    "--file-list",
    "stdin",
  ],
  {
    cwd: root,
    stdin: Buffer.from(files.map((file) => join(root, file)).join("\n")),
    stdout: "inherit",
    stderr: "inherit",
  },
);
for (const line of phrases) console.log(line);
process.exit(exitCode === 0 && phrases.length === 0 ? 0 : 1);
