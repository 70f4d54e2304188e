// Parses nested query parameters, which routes validate with their schemas.

const DIGITS = /^\d{1,11}$/;
const NESTED = /^(created|metadata)\[([^\]]{1,100})\]$/;

/** Adds a parameter. A repeated parameter becomes an array, which no schema of a single value accepts. */
function add(to: Record<string, unknown>, name: string, value: unknown): void {
  const isList = name.endsWith("[]") || Object.hasOwn(to, name);
  const all = isList ? [Object.hasOwn(to, name) ? to[name] : [], value].flat() : value;
  // Defined rather than assigned, because `__proto__` must be treated like any other name.
  Object.defineProperty(to, name, { value: all, enumerable: true, configurable: true, writable: true });
}

/** Parses `a[b]=c` to an object, `a[]=b` to an array, and digits to a number if a number is expected. */
export function nested(parameters: URLSearchParams): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  const groups: Record<string, Record<string, unknown>> = {};
  for (const [name, text] of parameters) {
    const [, group, key] = NESTED.exec(name) ?? [];
    if (group === undefined || key === undefined) {
      // As a plain string, Elysia would accept JSON for a group. An array is rejected.
      const value = name === "created" || name === "metadata" ? [text] : text;
      add(query, name, name === "limit" && DIGITS.test(text) ? Number(text) : value);
    } else {
      groups[group] ??= {};
      add(groups[group], key, group === "created" && DIGITS.test(text) ? Number(text) : text);
    }
  }
  for (const [group, members] of Object.entries(groups)) add(query, group, members);
  return query;
}
