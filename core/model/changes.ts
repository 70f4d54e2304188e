// The changes that an operation makes, for the audit log: old and new values by parameter name, such as
// `metadata.orderId`.
import { isDeepStrictEqual } from "node:util";

export type Change = { from: unknown; to: unknown };
export type Changes = Record<string, Change>;

/** @returns the differences. An absent or undefined value is shown as null */
export function changesBetween(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  prefix = "",
): Changes {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const valueIn = (object: Readonly<Record<string, unknown>>, name: string): unknown =>
    Object.hasOwn(object, name) ? (object[name] ?? null) : null;
  return Object.fromEntries(
    names
      .map((name) => [name, { from: valueIn(before, name), to: valueIn(after, name) }] as const)
      .filter(([, { from, to }]) => !isDeepStrictEqual(from, to))
      .map(([name, change]) => [`${prefix}${name}`, change]),
  );
}
