// The nested form of a query's parameters, which routes validate by their schemas.

const DIGITS = /^\d{1,11}$/;
const NESTED = /^(created|metadata)\[([^\]]{1,100})\]$/;

/** A parameter that is given twice becomes a list, which no schema of a single one takes. */
function add(to: Record<string, unknown>, name: string, value: unknown): void {
  const isList = name.endsWith("[]") || Object.hasOwn(to, name);
  const all = isList ? [Object.hasOwn(to, name) ? to[name] : [], value].flat() : value;
  // Not assigned: `__proto__` is a name like any other.
  Object.defineProperty(to, name, { value: all, enumerable: true, configurable: true, writable: true });
}

/** `a[b]=c` as an object, `a[]=b` as a list, and digits as a number where one belongs. */
export function nested(parameters: URLSearchParams): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  const groups: Record<string, Record<string, unknown>> = {};
  for (const [name, text] of parameters) {
    const [, group, key] = NESTED.exec(name) ?? [];
    if (group === undefined || key === undefined) {
      // The router would take JSON for a group.
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
