import { createRequire } from "node:module";
import hardhatToolboxViem from "@nomicfoundation/hardhat-toolbox-viem";
import { defineConfig } from "hardhat/config";

// The compiler comes from npm: Hardhat's own downloads are not reproducible offline.
const soljson = createRequire(import.meta.url).resolve("solc/soljson.js");

// Test runs shorten it; by default confirmations pass at a pace that a person can watch.
const blockInterval = Number(process.env.BLOCK_INTERVAL_MS ?? 1000);

export default defineConfig({
  plugins: [hardhatToolboxViem],
  paths: { sources: "./contracts", tests: { solidity: "./contracts/test" } },
  solidity: {
    version: "0.8.37",
    path: soljson,
    settings: { optimizer: { enabled: true, runs: 800 }, viaIR: true, evmVersion: "prague" },
  },
  networks: {
    node: {
      type: "edr-simulated",
      chainId: 31337,
      mining: { auto: true, interval: blockInterval },
      // Else every block beyond one a second would push the chain's time further ahead of the clock.
      allowBlocksWithSameTimestamp: true,
    },
  },
});
