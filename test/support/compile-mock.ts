// Compiles contracts that only tests deploy (contracts/test/support/mocks). No gateway uses them.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Abi, Hex } from "viem";
import { root } from "#scripts/shared/paths.ts";

type Contract = { abi: Abi; evm: { bytecode: { object: string } } };
type Output = {
  contracts?: Record<string, Record<string, Contract>>;
  errors?: { formattedMessage: string }[];
};
type Compiler = {
  compile(input: string, callbacks: { import(path: string): { contents: string } }): string;
};

/** @param file such as `Wallet.sol` @param name of one contract in the file */
export function compileMock(file: string, name: string): { abi: Abi; bytecode: Hex } {
  const compiler = createRequire(import.meta.url)("solc") as Compiler;
  const source = `contracts/test/support/mocks/${file}`;
  const input = {
    language: "Solidity",
    sources: { [source]: { content: readFileSync(join(root, source), "utf8") } },
    settings: { outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } } },
  };
  const read = (path: string) => ({
    contents: readFileSync(join(root, path.startsWith("contracts/") ? "" : "node_modules", path), "utf8"),
  });
  const output = JSON.parse(compiler.compile(JSON.stringify(input), { import: read })) as Output;
  const contract = output.contracts?.[source]?.[name];
  if (!contract) throw new Error(output.errors?.map((error) => error.formattedMessage).join("\n"));
  return { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` };
}
