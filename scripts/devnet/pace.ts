// When the blocks of a test's chain come by themselves: fast for as long as a transaction may be waiting for confirmations,
// and rarely otherwise. With each block indexer, workers and database look for what it brought: empty ones cost the most of
// a test's time.

/** What gives reason to wait for a block. */
const CAUSES = ["eth_sendRawTransaction", "eth_sendTransaction", "evm_increaseTime"];
/** More than any status waits for. */
const BLOCKS = 12;

export interface PaceOptions {
  /** Milliseconds between two blocks after a transaction. */
  busyMs: number;
  /** The same otherwise. */
  idleMs: number;
  /** Sets the time between two blocks; it is idleMs at first. */
  every(intervalMs: number): unknown;
}

/** @returns what is called after each request to the node */
export function createPace({ busyMs, idleMs, every }: PaceOptions): (method: string) => Promise<void> {
  /** An interval that the user sets is left alone. */
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
