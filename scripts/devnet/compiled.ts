// The committed compilation of the contracts. It saves half a minute of compiling while no contract has changed. After
// a change, compile.ts compiles the contracts; a check keeps the committed compilation in sync.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Abi, Hex } from "viem";
import { CURRENCIES } from "#core/money.ts";
import { readJson } from "../shared/json-file.ts";
import { root } from "../shared/paths.ts";

export interface Artifact {
  abi: Abi;
  bytecode: Hex;
}

/**
 * The data that a deployment to a real network needs besides the artifact: the expected runtime code, and its source.
 */
export interface EscrowSource {
  /** The runtime code, with zeros in place of immutables. */
  runtime: Hex;
  /** Byte offsets of the 32-byte words that hold each immutable. */
  immutables: Record<string, number[]>;
  /** Compiler version with its commit, in the explorers' format. */
  compiler: string;
  /** Source file and contract name in the compiler's format. */
  contract: string;
  settings: object;
  /** Files in the checkout, by the compiler's source names. */
  sources: Record<string, string>;
}

export interface Compiled {
  /** Hash of the sources that the contracts were compiled from. */
  inputs: string;
  contracts: Record<string, Artifact>;
  escrow: EscrowSource;
}

export const COMPILED = "scripts/devnet/compiled.json";

/** The contracts that `npm start` deploys: folder under contracts/, and name. */
export const DEPLOYED = [
  "DeliveryVsPayment",
  ...CURRENCIES.map((currency) => `tokens/${currency}` as const),
] as const;

/** Hashes every input of the bytecode. */
export function compilerInputs(): string {
  const hash = createHash("sha256");
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  hash.update(`${devDependencies.solc} ${dependencies["@openzeppelin/contracts"]}\0`);
  const sources = readdirSync(join(root, "contracts"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".sol") && !file.startsWith("test/"))
    .map((file) => `contracts/${file}`);
  for (const file of ["hardhat.config.ts", ...sources.sort()]) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0");
  }
  return hash.digest("hex");
}

/** The committed compilation; undefined if a contract has changed since. */
export function readCompiled(): Compiled | undefined {
  const compiled = readJson<Compiled>(join(root, COMPILED));
  return compiled?.inputs === compilerInputs() ? compiled : undefined;
}

/** The committed artifacts; undefined if a contract has changed since. */
export const committedArtifacts = (): Compiled["contracts"] | undefined => readCompiled()?.contracts;

/** Reads an artifact of the latest compilation. */
export function compiledArtifact(path: string): Artifact {
  const name = path.split("/").at(-1);
  const { abi, bytecode } = JSON.parse(
    readFileSync(join(root, "artifacts/contracts", `${path}.sol`, `${name}.json`), "utf8"),
  );
  return { abi, bytecode };
}
