import { createRequire } from "node:module";
import hardhatToolboxViem from "@nomicfoundation/hardhat-toolbox-viem";
import { defineConfig, overrideTask } from "hardhat/config";
import type { HardhatPlugin } from "hardhat/types/plugins";

// The compiler comes from npm: Hardhat's own downloads are not reproducible offline.
const path = createRequire(import.meta.url).resolve("solc/soljson.js");
const version = "0.8.37";
const evmVersion = "prague";

// Coverage and mutants compile other code than the one to deploy: they keep it elsewhere.
const artifacts = process.env.HARDHAT_ARTIFACTS ?? "artifacts";
const cache = process.env.HARDHAT_CACHE ?? "cache";
const toDeploy = artifacts === "artifacts";

// Test tokens, without the IR.
const tokens = { version, path, settings: { optimizer: { enabled: true, runs: 1 }, evmVersion } };

// Tests take the escrow from the artifacts, as it is deployed. Optimizing their own code takes longer than it saves.
const tests = { version, path, settings: { optimizer: { enabled: false }, evmVersion } };

// More runs copy the escrow's parts into their callers: 1,600 save 24 gas on createOrder for 1,300 bytes.
const escrow = {
  version,
  path,
  settings: { optimizer: { enabled: true, runs: 800 }, viaIR: true, evmVersion },
};

// `DEEP=1` (npm run test:deep): 10,000 runs of each invariant and fuzz test instead of 256. Under coverage and for
// mutants a few do: that takes many runs of the tests, or slow ones, and says something else.
const fuzzRuns = Number(process.env.FUZZ_RUNS ?? (process.env.DEEP === "1" ? 10_000 : 256));
/** Other draws than the last run's, e.g. FUZZ_SEED=0x7. */
const seed = process.env.FUZZ_SEED ? { seed: process.env.FUZZ_SEED } : {};
/** Two contracts check the invariants, each with half of the runs, so that they use two cores. */
const invariantRuns = Math.ceil(Number(process.env.INVARIANT_RUNS ?? fuzzRuns) / 2);

/** Hardhat compiles together what has the same settings only if they are the same object, and makes a copy of each. */
const oneJobPerSettings: HardhatPlugin = {
  id: "one-job-per-settings",
  hookHandlers: { config: () => import("./scripts/devnet/one-job-per-settings.ts") },
};

export default defineConfig({
  plugins: [hardhatToolboxViem, oneJobPerSettings],
  tasks: [
    overrideTask(["test", "solidity"])
      .setAction(() => import("./scripts/testing/report-invariants.ts"))
      .build(),
  ],
  paths: {
    sources: "./contracts",
    tests: { solidity: "./contracts/test" },
    artifacts,
    cache,
  },
  solidity: {
    compilers: [tests],
    overrides: toDeploy
      ? {
          "contracts/DeliveryVsPayment.sol": escrow,
          "contracts/tokens/USDC.sol": tokens,
          "contracts/tokens/USDT.sol": tokens,
          "contracts/tokens/DAI.sol": tokens,
          // Gas is measured with it.
          "contracts/test/support/PlainToken.sol": escrow,
        }
      : {},
  },
  coverage: { skipFiles: ["contracts/test/**"] },
  test: {
    solidity: {
      fsPermissions: {
        readDirectory: [`${artifacts}/contracts/DeliveryVsPayment.sol`, "contracts/test/vectors"],
      },
      fuzz: { runs: fuzzRuns, ...seed },
      // Arguments from the bytecode's and storage's dictionary help little where the handler bounds each one, and cost
      // four times the time.
      invariant: {
        runs: invariantRuns,
        depth: 500,
        failOnRevert: true,
        includeStorage: false,
        dictionaryWeight: 0,
      },
    },
  },
});
