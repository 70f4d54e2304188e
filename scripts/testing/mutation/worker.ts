// Tests one mutant per message: compiles the escrow with one changed file, writes its bytecode to the artifact that the
// tests load, and runs the tests. The tests are compiled once beforehand, and Hardhat and the compiler are loaded once.
// scripts/testing/mutate-contract.ts starts this process, and kills it if a mutant makes a test run forever.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import hre from "hardhat";
import { root } from "../../shared/paths.ts";

export type Verdict =
  | "killed by a test"
  | "killed by the matrix"
  | "killed by the invariants"
  | "survived"
  | "did not compile";

export interface Change {
  file: string;
  source: string;
}

interface Solc {
  compile(input: string, callbacks: { import(path: string): { contents: string } }): string;
}

const solc: Solc = createRequire(import.meta.url)("solc");
const ESCROW = "contracts/DeliveryVsPayment.sol";
const artifact = join(hre.config.paths.artifacts, ESCROW, "DeliveryVsPayment.json");

/**
 * Returns the escrow's creation code; undefined if it does not compile. Compiles without the IR, which is equivalent
 * and four times as fast.
 */
function compile({ file, source }: Change): string | undefined {
  const contents = (path: string) => {
    if (path === file) return source;
    return readFileSync(join(root, path.startsWith("@") ? `node_modules/${path}` : path), "utf8");
  };
  const input = {
    language: "Solidity",
    sources: { [ESCROW]: { content: contents(ESCROW) } },
    settings: {
      evmVersion: "prague",
      outputSelection: { [ESCROW]: { DeliveryVsPayment: ["evm.bytecode.object"] } },
    },
  };
  const output = JSON.parse(
    solc.compile(JSON.stringify(input), { import: (path) => ({ contents: contents(path) }) }),
  );
  return output.contracts?.[ESCROW]?.DeliveryVsPayment?.evm.bytecode.object;
}

/** Patterns of the slower tests. The fastest tests run first, because they kill most mutants. */
const MATRIX = "With(out)?Oracle|everyOperation_isDone";
const INVARIANTS = "^invariant_";

async function passes(tests: { grep: string } | { grepExclude: string }): Promise<boolean> {
  const result = await hre.tasks.getTask(["test", "solidity"]).run({ noCompile: true, ...tests });
  return result.success;
}

async function judge(change: Change): Promise<Verdict> {
  const bytecode = compile(change);
  if (bytecode === undefined) return "did not compile";
  writeFileSync(
    artifact,
    JSON.stringify({ ...JSON.parse(readFileSync(artifact, "utf8")), bytecode: `0x${bytecode}` }),
  );
  if (!(await passes({ grepExclude: `${INVARIANTS}|${MATRIX}` }))) return "killed by a test";
  if (!(await passes({ grep: MATRIX }))) return "killed by the matrix";
  return (await passes({ grep: INVARIANTS })) ? "survived" : "killed by the invariants";
}

process.on("message", (change: Change) => {
  judge(change).then((verdict) => process.send?.(verdict));
});
