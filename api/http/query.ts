// Reads the query of a list: plain fields, `created[gte]`, `created[lte]` and `metadata[key]`.
import type { TObject } from "@sinclair/typebox";
import { invalidRequest } from "#core/errors.ts";

export type ListQuery = {
  fields: Record<string, string>;
  created: { gte?: string; lte?: string };
  metadata: Record<string, string>;
  /** What to answer along: the one parameter that may be repeated. */
  expand: string[];
};

/** Names that are never a parameter by themselves, and what was probably meant. */
const NESTED_NAMES = new Map([
  ["created", "Write created[gte] or created[lte], in Unix seconds."],
  ["metadata", "Write metadata[key]."],
  ["expand", "Write expand[]."],
]);
const NESTED = /^(created|metadata)\[([^\]]{1,100})\]$/;

/**
 * @param schema names what may be asked for
 * @throws ServiceError 400 for an unknown or repeated parameter, and for keys in URLs
 */
export function parseQuery(parameters: URLSearchParams, schema: TObject): ListQuery {
  const known: Record<string, unknown> = schema.properties;
  const query: ListQuery = { fields: {}, created: {}, metadata: {}, expand: [] };
  const seen = new Set<string>();
  for (const [name, value] of parameters) {
    if (name === "expand[]" && known[name]) {
      query.expand.push(value);
      continue;
    }
    if (seen.has(name)) throw invalidRequest(`The parameter ${name} is given twice.`, name);
    seen.add(name);
    if (value.includes("\0"))
      throw invalidRequest(`Invalid ${name}: it contains the character U+0000.`, name);
    const [, group, key = ""] = NESTED.exec(name) ?? [];
    if (group === "metadata" && known.metadata) query.metadata[key] = value;
    else if (group === "created" && known.created && (key === "gte" || key === "lte")) {
      query.created[key] = value;
    } else if (!NESTED_NAMES.has(name) && Object.hasOwn(known, name)) query.fields[name] = value;
    else {
      const hint = NESTED_NAMES.get(name.split("[")[0] ?? "");
      throw invalidRequest([`Unknown parameter: ${name}.`, hint].filter(Boolean).join(" "), name);
    }
  }
  return query;
}

/** @throws ServiceError 400 unless the text is one of the values (or absent) */
export function oneFrom<const T extends string>(
  values: readonly T[],
  text: string | undefined,
  param: string,
) {
  if (text === undefined) return undefined;
  const value = values.find((candidate) => candidate === text);
  if (!value) throw invalidRequest(`Invalid ${param}: expected one of ${values.join(", ")}.`, param);
  return value;
}
