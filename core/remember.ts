// Readings that many ask for at once, and that may be a moment old.

/**
 * Returns a function that reads at most once in so many milliseconds: callers share the reading meanwhile. One that fails
 * fails for those who share it, and is made again for the next.
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
