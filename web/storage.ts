// Stores the page's data in the browser. If the browser refuses (blocked site data, no space left), the data is
// kept only while the page is open.
const memory = new Map<string, string>();

/** @returns undefined if the browser refuses access, in which case localStorage throws */
function inBrowser<T>(work: (storage: Storage) => T): { value: T } | undefined {
  try {
    return { value: work(localStorage) };
  } catch {
    return undefined;
  }
}

export const storage = {
  getItem: (key: string): string | null =>
    memory.get(key) ?? inBrowser((kept) => kept.getItem(key))?.value ?? null,

  setItem(key: string, value: string): void {
    memory.delete(key);
    if (!inBrowser((kept) => kept.setItem(key, value))) memory.set(key, value);
  },

  removeItem(key: string): void {
    memory.delete(key);
    inBrowser((kept) => kept.removeItem(key));
  },
};
