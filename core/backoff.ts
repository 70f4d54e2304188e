// How long what failed waits for its next attempt.

/** Twice as long with each failure, up to a limit. @param failures how many came before the last one, from 0 */
export const backoffMs = (firstMs: number, lastMs: number, failures: number): number =>
  Math.min(firstMs * 2 ** failures, lastMs);
