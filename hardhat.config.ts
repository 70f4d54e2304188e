import { createRequire } from "node:module";
import hardhatToolboxViem from "@nomicfoundation/hardhat-toolbox-viem";
import { defineConfig } from "hardhat/config";

// The compiler comes from npm: Hardhat's own downloads are not reproducible offline.
const soljson = createRequire(import.meta.url).resolve("solc/soljson.js");

export default defineConfig({
  plugins: [hardhatToolboxViem],
  paths: { sources: "./contracts", tests: { solidity: "./contracts/test" } },
  solidity: {
    version: "0.8.37",
    path: soljson,
    settings: { optimizer: { enabled: true, runs: 1_000_000 }, viaIR: true, evmVersion: "prague" },
  },
  networks: {
    node: { type: "edr-simulated", chainId: 31337, mining: { auto: true, interval: 1000 } },
  },
});
