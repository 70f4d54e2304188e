// Checks of JSON text that JSON.parse does not perform.

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [91, 93, 123, 125];

/** @returns the index of the closing quote of the string that begins at `start` */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) break;
  }
  return at;
}

/**
 * Finds a key that occurs twice in the same object, because which of the values is used depends on the parser
 * (RFC 8259, section 4). Visits each character once, because the text is untrusted and may be long.
 * @param text valid JSON
 */
export function findRepeatedKey(text: string): string | undefined {
  /** The keys of each enclosing object; null for an array. */
  const open: (Set<string> | null)[] = [];
  let isKeyNext = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === OBJECT || code === LIST) {
      open.push(code === OBJECT ? new Set() : null);
      isKeyNext = code === OBJECT;
    } else if (code === OBJECT_END || code === LIST_END) {
      open.pop();
      isKeyNext = false;
    } else if (code === COMMA) isKeyNext = Boolean(open.at(-1));
    else if (code === QUOTE) {
      const end = endOfString(text, at);
      const keys = isKeyNext ? open.at(-1) : null;
      if (keys) {
        const key = JSON.parse(text.slice(at, end + 1)) as string;
        if (keys.has(key)) return key;
        keys.add(key);
        isKeyNext = false;
      }
      at = end;
    }
  }
  return undefined;
}
