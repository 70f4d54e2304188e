// The chain of a test: blocks come quickly while a transaction may be waiting for confirmations, and slowly otherwise.
// Indexer, workers and database react to every block, and reacting to empty ones costs most of a test's time.
import type { NetworkHooks } from "hardhat/types/hooks";

const CAUSES = ["eth_sendRawTransaction", "eth_sendTransaction", "evm_increaseTime"];
/** More confirmations than any status requires. */
const BLOCKS = 12;

/** Milliseconds between blocks, after a transaction and otherwise. */
type Pace = { busyMs: number; idleMs: number };

export const pacedBlocks =
  ({ busyMs, idleMs }: Pace) =>
  async (): Promise<Partial<NetworkHooks>> => {
    /** An interval set by the user is left unchanged. */
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
