// The delay before the next attempt after a failure.

/**
 * Returns a delay that doubles with each failure, up to a limit.
 * @param failures the number of failures before the last one, from 0
 */
export const backoffMs = (firstMs: number, lastMs: number, failures: number): number =>
  Math.min(firstMs * 2 ** failures, lastMs);
