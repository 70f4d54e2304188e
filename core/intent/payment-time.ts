// The payment time, on which deadlines, locks and windows are based (docs/decisions/0024-test-clock.md).

/** In Unix seconds. */
export const wallTime = (): number => Math.floor(Date.now() / 1000);

/**
 * Returns the chain's time according to the indexer, but never less than wall time, because an indexer that lags, or
 * has seen no block, must not delay payments. A local chain may be far ahead of the wall clock (`POST
 * /v1/test/clock/advance`); the contract then uses the chain's time.
 * @param head the indexed head, with its timestamp in Unix seconds
 * @returns Unix seconds
 */
export const paymentTime = (head: { timestamp: number }, wall = wallTime()): number =>
  Math.max(head.timestamp, wall);
