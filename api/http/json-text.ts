// What JSON.parse does not show of a JSON text.

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],]/g;

/**
 * Finds a key that an object has twice: which of its values counts is a matter of the parser (RFC 8259, section 4).
 * @param text valid JSON
 */
export function findRepeatedKey(text: string): string | undefined {
  /** The keys of each object around the token; null for a list. */
  const open: (Set<string> | null)[] = [];
  let isKeyNext = false;
  for (const [token] of text.matchAll(TOKEN)) {
    const keys = open.at(-1);
    if (token === "{" || token === "[") {
      open.push(token === "{" ? new Set() : null);
      isKeyNext = token === "{";
    } else if (token === "}" || token === "]") {
      open.pop();
      isKeyNext = false;
    } else if (token === ",") isKeyNext = Boolean(keys);
    else if (isKeyNext && keys) {
      const key = JSON.parse(token) as string;
      if (keys.has(key)) return key;
      keys.add(key);
      isKeyNext = false;
    }
  }
  return undefined;
}
