// The time by which payments are judged (design, "One clock for payments"): deadlines, locks and windows are counted
// from it.

/** In Unix seconds. */
export const wallTime = (): number => Math.floor(Date.now() / 1000);

/**
 * The chain's time as the indexer has it, and never behind wall time: an indexer that lags, or has seen no block, does
 * not set payments back. A local chain may be far ahead of the wall clock (`POST /v1/test/clock/advance`); the
 * contract then judges by the chain's.
 * @param head the indexed head; its timestamp in Unix seconds
 * @returns Unix seconds
 */
export const paymentTime = (head: { timestamp: number }, wall = wallTime()): number =>
  Math.max(head.timestamp, wall);
