// Refuses contracts that do not say what their functions, events, errors and fields are.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseCommand } from "./local/command-line.ts";
import { DEPLOYED } from "./local/compiled.ts";
import { findImported } from "./local/escrow-source.ts";
import { root } from "./local/paths.ts";
import { findUndocumented, type SyntaxNode } from "./natspec/find-undocumented.ts";

const HELP = `Checks the NatSpec of contracts/, the tests' sources apart: each external or public function, event and error has
a @notice and a tag for each parameter and returned value; each contract has a title; each struct, enum, modifier and function of
a library is documented, and each member of a struct or enum has a comment.

  bun scripts/check-natspec.ts

Reads the compiler's last output: npm run compile. Ends with 1 if something is missing.`;

parseCommand(HELP, {});

const readJson = (file: string) => JSON.parse(readFileSync(join(root, "artifacts", file), "utf8"));

const trees = new Map<string, SyntaxNode>();
for (const path of DEPLOYED) {
  const { buildInfoId, inputSourceName } = readJson(`contracts/${path}.sol/${path.split("/").at(-1)}.json`);
  const { output } = readJson(`build-info/${buildInfoId}.output.json`);
  const asts = new Map(
    Object.entries<{ ast: SyntaxNode & { nodes: SyntaxNode[] } }>(output.sources).map(([name, { ast }]) => [
      name,
      ast,
    ]),
  );
  // Others that were compiled together with it may have changed since.
  for (const name of findImported(inputSourceName, asts)) {
    const [, file] = /^project\/(contracts\/.+)$/.exec(name) ?? [];
    const ast = asts.get(name);
    if (file !== undefined && ast !== undefined) trees.set(file, ast);
  }
}

const findings = [...trees].flatMap(([file, ast]) =>
  findUndocumented(readFileSync(join(root, file), "utf8"), ast).map(
    ({ line, says }) => `${file}:${line}: ${says}`,
  ),
);
for (const finding of findings.sort()) console.error(finding);
process.exitCode = findings.length > 0 ? 1 : 0;
