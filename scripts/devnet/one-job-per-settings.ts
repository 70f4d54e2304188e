// Hardhat compiles in one job the files whose settings are the same object, and makes a copy of the settings for each file
// that has its own: each would have a compiler of its own, whose start alone takes two seconds.
import { isDeepStrictEqual } from "node:util";
import type { ConfigHooks } from "hardhat/types/hooks";

const shareSettings = async (): Promise<Partial<ConfigHooks>> => ({
  async resolveUserConfig(userConfig, resolveVariable, next) {
    const config = await next(userConfig, resolveVariable);
    for (const profile of Object.values(config.solidity.profiles)) {
      const settings = [...profile.compilers];
      for (const [file, own] of Object.entries(profile.overrides)) {
        const same = settings.find((other) => isDeepStrictEqual(other, own));
        if (same) profile.overrides[file] = same;
        else settings.push(own);
      }
    }
    return config;
  },
});

export default shareSettings;
