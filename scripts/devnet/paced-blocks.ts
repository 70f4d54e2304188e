// The chain of a test: its blocks come fast for as long as a transaction may be waiting for confirmations, and rarely
// otherwise. With each block indexer, workers and database look for what it brought: empty ones cost the most of a
// test's time.
import type { NetworkHooks } from "hardhat/types/hooks";

const CAUSES = ["eth_sendRawTransaction", "eth_sendTransaction", "evm_increaseTime"];
/** More than any status waits for. */
const BLOCKS = 12;

/** Time between two blocks: after a transaction, and otherwise. */
type Pace = { busyMs: number; idleMs: number };

export const pacedBlocks =
  ({ busyMs, idleMs }: Pace) =>
  async (): Promise<Partial<NetworkHooks>> => {
    /** An interval that the user sets is left alone. */
    let ours = true;
    let calmingDown: ReturnType<typeof setTimeout> | undefined;
    return {
      async onRequest(context, connection, request, next) {
        const response = await next(context, connection, request);
        if (request.method === "evm_setIntervalMining") {
          ours = false;
          clearTimeout(calmingDown);
        } else if (ours && CAUSES.includes(request.method)) {
          const every = (interval: number) =>
            next(context, connection, { ...request, method: "evm_setIntervalMining", params: [interval] });
          if (calmingDown === undefined) await every(busyMs);
          clearTimeout(calmingDown);
          calmingDown = setTimeout(() => {
            calmingDown = undefined;
            void every(idleMs);
          }, BLOCKS * busyMs);
        }
        return response;
      },
    };
  };
