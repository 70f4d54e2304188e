// What a page keeps in the browser. A browser that refuses to (blocked site data, no space left) gets the page all the
// same: it is then kept for as long as the page is open.
const memory = new Map<string, string>();

/** @returns undefined if the browser refuses: the very access to localStorage throws then */
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
