// A plugin that applies the block interval of pace.ts to Hardhat's node.
import type { NetworkHooks } from "hardhat/types/hooks";
import { createPace } from "./pace.ts";

export const pacedBlocks =
  (times: { busyMs: number; idleMs: number }) => async (): Promise<Partial<NetworkHooks>> => {
    let afterRequest: ReturnType<typeof createPace> | undefined;
    return {
      async onRequest(context, connection, request, next) {
        const response = await next(context, connection, request);
        afterRequest ??= createPace({
          ...times,
          every: (interval) =>
            next(context, connection, { ...request, method: "evm_setIntervalMining", params: [interval] }),
        });
        await afterRequest(request.method);
        return response;
      },
    };
  };
