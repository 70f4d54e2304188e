// The standard JSON input with which an explorer reproduces the deployed code: only the escrow's sources.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { EscrowSource } from "../../../devnet/compiled.ts";
import { root } from "../../../shared/paths.ts";

export interface StandardInput {
  language: "Solidity";
  sources: Record<string, { content: string }>;
  settings: object;
}

export function buildStandardInput({ sources, settings }: EscrowSource): StandardInput {
  const contents = Object.entries(sources).map(([name, file]) => [
    name,
    { content: readFileSync(join(root, file), "utf8") },
  ]);
  const outputSelection = { "*": { "*": ["abi", "evm.bytecode", "evm.deployedBytecode", "metadata"] } };
  return {
    language: "Solidity",
    sources: Object.fromEntries(contents),
    settings: { ...settings, outputSelection },
  };
}
