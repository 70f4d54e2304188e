// The contracts as they were compiled when they were committed: the compiler takes half a minute, and nobody who has
// not changed a contract should wait for it. Somebody who has, compiles (compile.ts); a check holds the two together.
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

/** What a deployment to a real network needs beyond the artifact: proof of the deployed code, and its source. */
export interface EscrowSource {
  /** The code on chain, with zeros in the place of immutables. */
  runtime: Hex;
  /** Where each immutable stands in it: offsets in bytes, of words of 32 bytes. */
  immutables: Record<string, number[]>;
  /** With the commit, as explorers name it. */
  compiler: string;
  /** Source file and name, as the compiler knows them. */
  contract: string;
  settings: object;
  /** Files in the checkout, by the names that the compiler knows. */
  sources: Record<string, string>;
}

export interface Compiled {
  /** What they were compiled from. */
  inputs: string;
  contracts: Record<string, Artifact>;
  escrow: EscrowSource;
}

export const COMPILED = "scripts/devnet/compiled.json";

/** What `npm start` deploys: folder under contracts/ and name. */
export const DEPLOYED = [
  "DeliveryVsPayment",
  ...CURRENCIES.map((currency) => `tokens/${currency}` as const),
] as const;

/** Names everything that the bytecode depends on. */
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

/** What was committed; undefined if a contract has changed since. */
export function readCompiled(): Compiled | undefined {
  const compiled = readJson<Compiled>(join(root, COMPILED));
  return compiled?.inputs === compilerInputs() ? compiled : undefined;
}

/** The committed artifacts; undefined if a contract has changed since. */
export const committedArtifacts = (): Compiled["contracts"] | undefined => readCompiled()?.contracts;

/** An artifact of the last compilation. */
export function compiledArtifact(path: string): Artifact {
  const name = path.split("/").at(-1);
  const { abi, bytecode } = JSON.parse(
    readFileSync(join(root, "artifacts/contracts", `${path}.sol`, `${name}.json`), "utf8"),
  );
  return { abi, bytecode };
}
