// Generates small single changes to a Solidity source: a flipped operator, a number off by one, a removed check.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../shared/paths.ts";

export interface Mutant {
  file: string;
  line: number;
  what: string;
  /** The full file including the change. */
  source: string;
}

/** Each replacement changes one occurrence in one line of code. */
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

/** Matches a complete statement whose removal still compiles. */
const droppable =
  /^\s+(_require\w*\(.*\);|Signatures\.\w+\(.*\);|if \(.*\) revert .*;|if \(.*\) return( .*)?;|emit \w+\(.*\);|\w+\[.*\] = .*;|_take\(.*\);|_sendOrCredit\(.*\);|_pull\(.*\);|_open\(.*\);|_entered = .*;|slot = .*;|amounts\.\w+ \+?= .*;|if \(.*\) _splits.*;|_credits.* = .*;)$/;

function isCode(line: string): boolean {
  const text = line.trim();
  return (
    text !== "" &&
    !/^(\/\/|\/\*|\*|import |pragma |using |event |error |function |contract |abstract |library )/.test(text)
  );
}

/** Builds all mutants of a source file. */
export function buildMutants(file: string): Mutant[] {
  const original = readFileSync(join(root, file), "utf8");
  const lines = original.split("\n");
  const found: Mutant[] = [];
  const add = (line: number, text: string, what: string) => {
    const source = lines.map((old, i) => (i === line ? text : old)).join("\n");
    found.push({ file, line: line + 1, what, source });
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
