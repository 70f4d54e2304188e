// Extracts components from the inline output of the OpenAPI plugin: schemas with a title, and parameters that
// several operations share.

export type Json = { [key: string]: unknown };

/** Keywords that are only used by the gateway itself. */
const INTERNAL = ["errorMessage", "errorCode", "noValidate", "bodyOptional", "refusals", "alsoAs"];

/**
 * Converts a schema to the form that readers and client generators expect, because TypeBox represents some
 * schemas differently.
 */
function plain(schema: Json): Json {
  const { errorMessage, enum: values, type, patternProperties } = schema;
  const shown = Object.fromEntries(Object.entries(schema).filter(([key]) => !INTERNAL.includes(key)));
  if (Array.isArray(values)) {
    // The pattern only repeats the values for TypeBox.
    delete shown.pattern;
    if (Array.isArray(type) && type.includes("null")) shown.enum = [...values, null];
  } else if (typeof errorMessage === "string") shown.description ??= errorMessage;
  // Created by `nullable` (payment-intents/schemas.ts).
  if (shown.const === null) return { type: "null" };
  if (typeof patternProperties !== "object" || patternProperties === null) return shown;
  const [[pattern, value] = [], ...more] = Object.entries(patternProperties);
  if (pattern === undefined || more.length > 0) throw new Error("A record has one pattern for its keys.");
  delete shown.patternProperties;
  if (pattern !== "^(.*)$") shown.propertyNames = { pattern };
  return { ...shown, additionalProperties: value };
}

/**
 * Replaces every schema that has a title with a reference.
 * @returns the result, and the schemas by title
 */
export function extractSchemas<T>(parts: T): { parts: T; schemas: Record<string, Json> } {
  const schemas: Record<string, Json> = {};
  // `JSON.parse` visits inner schemas first.
  const shown = JSON.parse(JSON.stringify(parts), (_, value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const { title, ...schema } = plain(value);
    if (typeof title !== "string") return title === undefined ? schema : { title, ...schema };
    schemas[title] ??= schema;
    if (!Bun.deepEquals(schemas[title], schema)) throw new Error(`Two schemas are called ${title}.`);
    return { $ref: `#/components/schemas/${title}` };
  });
  return { parts: shown, schemas };
}

/** Replaces parameters that occur in several operations with references. @returns the parameters by name */
export function extractParameters(operations: { parameters: Json[] }[]): Record<string, Json> {
  const uses = Map.groupBy(
    operations.flatMap(({ parameters }) => parameters),
    (one) => JSON.stringify(one),
  );
  const shared = Object.fromEntries(
    [...uses.values()].flatMap(([one, ...more]) =>
      one && more.length > 0 && /^[\w.-]+$/.test(String(one.name)) ? [[String(one.name), one]] : [],
    ),
  );
  for (const operation of operations) {
    operation.parameters = operation.parameters.map((one) =>
      Bun.deepEquals(shared[String(one.name)], one) ? { $ref: `#/components/parameters/${one.name}` } : one,
    );
  }
  return shared;
}
