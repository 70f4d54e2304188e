// The local chain, for `hardhat node`. Apart from the compiler's configuration: a chain starts without its plugins, and
// sooner.
import { defineConfig } from "hardhat/config";
import type { HardhatPlugin } from "hardhat/types/plugins";
import { pacedBlocks } from "./paced-blocks.ts";

// Test runs shorten it; by default confirmations pass at a pace that a person can watch.
const busyMs = Number(process.env.BLOCK_INTERVAL_MS ?? 1000);
const idleMs = Number(process.env.IDLE_BLOCK_INTERVAL_MS ?? busyMs);

const paced: HardhatPlugin = {
  id: "paced-blocks",
  hookHandlers: { network: async () => ({ default: pacedBlocks({ busyMs, idleMs }) }) },
};

export default defineConfig({
  plugins: idleMs === busyMs ? [] : [paced],
  networks: {
    node: {
      type: "edr-simulated",
      chainId: 31337,
      mining: { auto: true, interval: idleMs },
      // Else every block beyond one a second would push the chain's time further ahead of the clock.
      allowBlocksWithSameTimestamp: true,
    },
  },
});
