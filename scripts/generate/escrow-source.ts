// Reads the escrow's runtime code with its immutables, and the sources and settings that an explorer needs to recompile
// the escrow, from the compiler's output.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Hex } from "viem";
import type { EscrowSource } from "../devnet/compiled.ts";
import { root } from "../shared/paths.ts";

type Node = { nodeType?: string; id?: number; name?: string; absolutePath?: string };
type Ast = Node & { nodes: Node[] };

const ARTIFACT = "artifacts/contracts/DeliveryVsPayment.sol/DeliveryVsPayment.json";

const read = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8"));

export function readEscrowSource(): EscrowSource {
  const { deployedBytecode, immutableReferences, buildInfoId, inputSourceName, contractName } =
    read(ARTIFACT);
  const { input, solcLongVersion } = read(`artifacts/build-info/${buildInfoId}.json`);
  const { output } = read(`artifacts/build-info/${buildInfoId}.output.json`);
  const asts = new Map<string, Ast>(
    Object.entries<{ ast: Ast }>(output.sources).map(([name, { ast }]) => [name, ast]),
  );
  const sources = findImported(inputSourceName, asts);
  // The requested outputs do not affect the compilation.
  const { outputSelection: _, ...settings } = input.settings;
  return {
    runtime: deployedBytecode as Hex,
    immutables: nameImmutables(
      immutableReferences,
      sources.map((name) => asts.get(name)),
    ),
    compiler: solcLongVersion,
    contract: `${inputSourceName}:${contractName}`,
    settings,
    sources: Object.fromEntries(sources.map((name) => [name, findFile(name)])),
  };
}

/** Returns a source and all its direct and indirect imports, in a stable order. */
export function findImported(from: string, asts: ReadonlyMap<string, Ast>): string[] {
  const found = new Set<string>();
  const visit = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    for (const { nodeType, absolutePath } of asts.get(name)?.nodes ?? []) {
      if (nodeType === "ImportDirective" && absolutePath !== undefined) visit(absolutePath);
    }
  };
  visit(from);
  return [...found].sort();
}

/** The compiler identifies each immutable by the AST id of its declaration. */
function nameImmutables(
  references: Record<string, { start: number; length: number }[]>,
  asts: readonly (Ast | undefined)[],
): Record<string, number[]> {
  const names = new Map<string, string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { nodeType, id, name } = value as Node;
    if (nodeType === "VariableDeclaration" && name !== undefined) names.set(String(id), name);
    Object.values(value).forEach(visit);
  };
  asts.forEach(visit);
  const named = Object.entries(references).map(([id, places]) => {
    const name = names.get(id);
    if (name === undefined) throw new Error(`The compiler's output does not declare the immutable ${id}.`);
    return [name, places.map(({ start }) => start)] as const;
  });
  return Object.fromEntries(named);
}

/** Hardhat names a source by its project or package, and by its path within that project or package. */
function findFile(name: string): string {
  const [, path] = /^project\/(.+)$/.exec(name) ?? [];
  if (path !== undefined) return path;
  const [, folder, file] = /^npm\/((?:@[^/]+\/)?[^@/]+)@[^/]+\/(.+)$/.exec(name) ?? [];
  if (folder === undefined)
    throw new Error(`The compiler read ${name}, which is not a file of the checkout.`);
  return `node_modules/${folder}/${file}`;
}
