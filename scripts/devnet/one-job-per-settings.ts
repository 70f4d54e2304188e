// Hardhat compiles files whose settings are the same object in one job, but copies the settings of files that override
// them. Each such file would start its own compiler, which takes two seconds.
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
