// The block interval of a test's chain: short while a transaction may be waiting for confirmations, long otherwise. The
// indexer, the settlement role and the database process every block, so empty blocks would take most of a test's time.

/** Requests after which a client may wait for a block. */
const CAUSES = ["eth_sendRawTransaction", "eth_sendTransaction", "evm_increaseTime"];
/** More confirmations than any status requires. */
const BLOCKS = 12;

export interface PaceOptions {
  /** Milliseconds between blocks after a transaction. */
  busyMs: number;
  /** Milliseconds between blocks otherwise. */
  idleMs: number;
  /** Sets the time between blocks, which starts as idleMs. */
  every(intervalMs: number): unknown;
}

/** @returns a function to call after each request to the node */
export function createPace({ busyMs, idleMs, every }: PaceOptions): (method: string) => Promise<void> {
  /** Whether this function controls the interval; false once the client sets an interval. */
  let ours = busyMs !== idleMs;
  let calmingDown: ReturnType<typeof setTimeout> | undefined;
  return async (method) => {
    if (method === "evm_setIntervalMining") {
      ours = false;
      clearTimeout(calmingDown);
    } else if (ours && CAUSES.includes(method)) {
      if (calmingDown === undefined) await every(busyMs);
      clearTimeout(calmingDown);
      calmingDown = setTimeout(() => {
        calmingDown = undefined;
        void every(idleMs);
      }, BLOCKS * busyMs);
    }
  };
}
