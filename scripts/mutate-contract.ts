// Changes the escrow's source in one place at a time and runs its Solidity tests: a change that no test notices is a test
// that is missing, or a change that means nothing. Survivors are explained in contracts/README.md.
// Usage: mutate-contract.ts [--only <part of a file name>] [--every <n>] [--list]. It works in .data/mutants, never in the checkout.
// A mutant is compiled without the IR, which is four times as fast; what it means is the same.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const work = join(root, ".data/mutants");
const TIMEOUT_MS = 900_000;

interface Mutant {
  file: string;
  line: number;
  what: string;
  original: string;
  source: string;
}

/** Each replaces one occurrence in one line of code. */
const replacements: [RegExp, string][] = [
  [/(?<![<>=!-])<(?![<=])/g, "<="],
  [/(?<![<>=!-])>(?![>=])/g, ">="],
  [/==/g, "!="],
  [/!=/g, "=="],
  [/&&/g, "||"],
  [/\|\|/g, "&&"],
  [/(?<=\()!(?!=)/g, ""],
  [/(?<= )\+(?= )/g, "-"],
  [/(?<= )-(?= )/g, "+"],
  [/\+=/g, "="],
  [/ \| /g, " & "],
  [/\btrue\b/g, "false"],
  [/\bfalse\b/g, "true"],
  [/(?<=, |\()0(?=,|\))/g, "1"],
  [/(?<=, |\()1(?=,|\))/g, "0"],
  [/(?<= \+ )1\b/g, "0"],
  [/type\(uint256\)\.max/g, "0"],
  [/\bPROVEN\b(?!;)/g, "WITHDRAWN"],
  [/\bOPEN\b(?! =)/g, "UNRELEASED"],
  [/\bUNRELEASED\b(?! =)/g, "OPEN"],
  [/terms\.payee\b/g, "terms.operator"],
  [/terms\.operator\b/g, "terms.payee"],
  [/slot\.payer\(\)/g, "terms.payee"],
  [/Cause\.PAYER\b/g, "Cause.OPERATOR"],
  [/Status\.Cancelled\b/g, "Status.Completed"],
  [/Status\.AwaitingSettlement\b/g, "Status.Completed"],
];

/** A whole statement that can be left out and still compile. */
const droppable =
  /^\s+(_require\w*\(.*\);|Signatures\.\w+\(.*\);|if \(.*\) revert .*;|if \(.*\) return( .*)?;|emit \w+\(.*\);|\w+\[.*\] = .*;|_take\(.*\);|_sendOrCredit\(.*\);|_pull\(.*\);|_open\(.*\);|_entered = .*;|slot = .*;|amounts\.\w+ \+?= .*;|if \(.*\) _splits.*;|_credits.* = .*;)$/;

function isCode(line: string): boolean {
  const text = line.trim();
  return (
    text !== "" &&
    !/^(\/\/|\/\*|\*|import |pragma |using |event |error |function |contract |abstract |library )/.test(text)
  );
}

function mutantsOf(file: string): Mutant[] {
  const original = readFileSync(join(root, file), "utf8");
  const lines = original.split("\n");
  const found: Mutant[] = [];
  const add = (line: number, text: string, what: string) => {
    const source = lines.map((old, i) => (i === line ? text : old)).join("\n");
    found.push({ file, line: line + 1, what, original, source });
  };
  let comment = false;
  for (const [i, line] of lines.entries()) {
    if (/^\s*\/\*/.test(line)) comment = true;
    if (!comment && isCode(line)) {
      const code = line.replace(/\/\/.*$/, "");
      for (const [pattern, replacement] of replacements) {
        for (const match of code.matchAll(pattern)) {
          const mutated =
            code.slice(0, match.index) + replacement + code.slice(match.index + match[0].length);
          add(i, mutated, `${match[0]} -> ${replacement || "(nothing)"}: ${line.trim()}`);
        }
      }
      if (droppable.test(line)) add(i, "", `dropped: ${line.trim()}`);
    }
    if (/\*\//.test(line)) comment = false;
  }
  return found;
}

function prepare(): void {
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  cpSync(join(root, "contracts"), join(work, "contracts"), { recursive: true });
  for (const name of ["package.json", "tsconfig.json"]) cpSync(join(root, name), join(work, name));
  symlinkSync(join(root, "node_modules"), join(work, "node_modules"));
  const config = readFileSync(join(root, "hardhat.config.ts"), "utf8")
    .replace(
      /settings: \{ optimizer: \{ enabled: true, runs: 800 \}, viaIR: true, evmVersion \}/,
      "settings: { evmVersion }",
    )
    .replace(/const fuzzRuns = .*;/, "const fuzzRuns = 32;");
  if (!config.includes("settings: { evmVersion }"))
    throw new Error("hardhat.config.ts no longer reads as expected");
  writeFileSync(join(work, "hardhat.config.ts"), config);
}

/** "killed" by a test, "invalid" if it does not compile, "survived" if nothing noticed. */
function run(): "killed" | "survived" | "invalid" {
  const result = spawnSync(process.execPath, ["node_modules/hardhat/dist/src/cli.js", "test", "solidity"], {
    cwd: work,
    encoding: "utf8",
    env: { ...process.env, INVARIANT_RUNS: "3" },
    timeout: TIMEOUT_MS,
  });
  if (/Compilation failed/.test(result.stdout + result.stderr)) return "invalid";
  return result.status === 0 ? "survived" : "killed";
}

/** The value after a flag, if the flag is there. */
function option(flag: string): string | undefined {
  const at = process.argv.indexOf(flag);
  return at < 0 ? undefined : process.argv[at + 1];
}

const every = Number(option("--every") ?? 1);
const mutants = readdirSync(join(root, "contracts/parts"))
  .sort()
  .map((name) => `contracts/parts/${name}`)
  .filter((name) => name.includes(option("--only") ?? ""))
  .flatMap(mutantsOf)
  .filter((_, i) => i % every === 0);
if (process.argv.includes("--list")) {
  for (const { file, line, what } of mutants) console.log(`${file}:${line} ${what}`);
  console.log(`${mutants.length} mutants`);
  process.exit(0);
}

prepare();
if (run() !== "survived") throw new Error("The tests fail without any mutant: mend them first");
const counts = { killed: 0, survived: 0, invalid: 0 };
for (const [i, { file, line, what, original, source }] of mutants.entries()) {
  writeFileSync(join(work, file), source);
  const verdict = run();
  writeFileSync(join(work, file), original);
  counts[verdict]++;
  if (verdict === "survived") console.log(`survived  ${file}:${line}  ${what}`);
  if ((i + 1) % 25 === 0) console.log(`${i + 1} of ${mutants.length}: ${JSON.stringify(counts)}`);
}
console.log(`${counts.killed} killed, ${counts.survived} survived, ${counts.invalid} did not compile`);
rmSync(work, { recursive: true, force: true });
