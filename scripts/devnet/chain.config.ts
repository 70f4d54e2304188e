// The local chain, for `hardhat node`. Separate from the compiler's configuration, because a chain starts faster
// without its plugins.
import { defineConfig } from "hardhat/config";
import type { HardhatPlugin } from "hardhat/types/plugins";
import { pacedBlocks } from "./paced-blocks.ts";

// Test runs shorten it; by default a person can watch the confirmations arrive.
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
      // Otherwise every block beyond one per second would push the chain's clock further ahead.
      allowBlocksWithSameTimestamp: true,
    },
  },
});
