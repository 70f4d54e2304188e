// The configuration of the local chain for `hardhat node`. It is separate from the compiler's configuration, because a
// chain starts faster without the compiler's plugins.
import { defineConfig } from "hardhat/config";
import type { HardhatPlugin } from "hardhat/types/plugins";
import { pacedBlocks } from "./paced-blocks.ts";

// Test runs set a shorter interval; with the default, a person can watch the confirmations arrive.
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
      // Without this, every block beyond one per second would push the chain's clock further ahead.
      allowBlocksWithSameTimestamp: true,
    },
  },
});
