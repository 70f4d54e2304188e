// Rejects contracts with undocumented functions, events, errors or fields.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readArtifact } from "../devnet/artifacts.ts";
import { DEPLOYED } from "../devnet/compiled.ts";
import { findImported } from "../generate/escrow-source.ts";
import { fail, parseCommand } from "../shared/command-line.ts";
import { root } from "../shared/paths.ts";
import { findUndocumented, type SyntaxNode } from "./natspec/find-undocumented.ts";

const HELP = `Checks the NatSpec of contracts/, except tests: every external or public function, event and error has a @notice and a tag
for each parameter and return value; every contract has a @title; every struct, enum, modifier and library function is
documented; every member of a struct or enum has a comment.

  bun scripts/testing/check-natspec.ts

Reads the compiler's latest output: npm run compile. Exits with 1 if documentation is missing.`;

parseCommand(HELP, {});

type Artifact = { buildInfoId: string; inputSourceName: string };
type Output = { output: { sources: Record<string, { ast: SyntaxNode & { nodes: SyntaxNode[] } }> } };

function readTrees(): Map<string, SyntaxNode> {
  const trees = new Map<string, SyntaxNode>();
  for (const path of DEPLOYED) {
    const artifact = readArtifact<Artifact>(`contracts/${path}.sol/${path.split("/").at(-1)}.json`);
    const { output } = readArtifact<Output>(`build-info/${artifact.buildInfoId}.output.json`);
    const asts = new Map(Object.entries(output.sources).map(([name, { ast }]) => [name, ast]));
    // Only the imported sources are checked, because others from the same compilation may have changed since.
    for (const name of findImported(artifact.inputSourceName, asts)) {
      const [, file] = /^project\/(contracts\/.+)$/.exec(name) ?? [];
      const ast = asts.get(name);
      if (file !== undefined && ast !== undefined) trees.set(file, ast);
    }
  }
  return trees;
}

function check(): void {
  const findings = [...readTrees()].flatMap(([file, ast]) =>
    findUndocumented(readFileSync(join(root, file), "utf8"), ast).map(
      ({ line, says }) => `${file}:${line}: ${says}`,
    ),
  );
  for (const finding of findings.sort()) console.error(finding);
  process.exitCode = findings.length > 0 ? 1 : 0;
}

try {
  check();
} catch (error) {
  fail(error);
}
