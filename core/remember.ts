// Caches reads that many callers request at once and that may be slightly stale.

/**
 * Returns a function that reads at most once per period and shares the result with its callers. A failed read fails for
 * the callers that share it, and is repeated for the next caller.
 */
export function rememberFor<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let last: { reading: Promise<T>; until: number } | undefined;
  return () => {
    if (last && performance.now() < last.until) return last.reading;
    const mine = { reading: read(), until: performance.now() + ms };
    mine.reading.catch(() => {
      if (last === mine) last = undefined;
    });
    last = mine;
    return mine.reading;
  };
}
