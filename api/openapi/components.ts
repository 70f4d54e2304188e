// Makes components of what the OpenAPI plugin leaves where it stands: schemas with a title, and parameters that several
// operations share.

export type Json = { [key: string]: unknown };

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** TypeBox gives a record's keys as patterns; readers and generators know additionalProperties. */
function record({ patternProperties, additionalProperties: _, ...rest }: Json): Json {
  const [[pattern, value] = [], ...more] = Object.entries(patternProperties as Json);
  if (pattern === undefined || more.length > 0) throw new Error("A record has one pattern for its keys.");
  const names = pattern === "^(.*)$" ? {} : { propertyNames: { pattern } };
  return { ...rest, ...names, additionalProperties: value };
}

/** What only the checks of requests need. */
const INTERNAL = new Set(["errorMessage", "errorCode", "noValidate", "bodyOptional", "alsoAs"]);

function plain(schema: Json): Json {
  const { errorMessage, enum: values, type } = schema;
  const shown = Object.fromEntries(Object.entries(schema).filter(([key]) => !INTERNAL.has(key)));
  if (Array.isArray(values)) {
    // The pattern only says the values again, to TypeBox.
    delete shown.pattern;
    if (Array.isArray(type) && type.includes("null")) shown.enum = [...values, null];
  } else if (typeof errorMessage === "string") shown.description ??= errorMessage;
  return shown.patternProperties ? record(shown) : shown;
}

export class Components {
  readonly schemas: Record<string, Json> = {};

  /** The schema; where it has a title, a reference to it. */
  schema(schema: Json): Json {
    const { title, ...rest } = schema;
    const shown = this.#within(plain(rest));
    if (typeof title !== "string") return shown;
    const known = this.schemas[title];
    if (known && JSON.stringify(known) !== JSON.stringify(shown)) {
      throw new Error(`Two schemas are called ${title}.`);
    }
    this.schemas[title] = shown;
    return { $ref: `#/components/schemas/${title}` };
  }

  #within(schema: Json): Json {
    return Object.fromEntries(
      Object.entries(schema).map(([key, value]) => {
        if (key === "properties" && isObject(value)) {
          return [
            key,
            Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.schema(one as Json)])),
          ];
        }
        // Null (payment-intents/schemas.ts).
        if (key === "const" && value === null) return ["type", "null"];
        if (key === "anyOf") return [key, (value as Json[]).map((one) => this.schema(one))];
        const isSchema = (key === "items" || key === "additionalProperties") && isObject(value);
        return [key, isSchema ? this.schema(value) : value];
      }),
    );
  }
}

/** Replaces parameters that are the same in several operations by references. */
export function shareParameters(operations: { parameters: Json[] }[], shared: Record<string, Json>): void {
  const uses = Map.groupBy(
    operations.flatMap(({ parameters }) => parameters),
    ({ name }) => name as string,
  );
  for (const [name, all] of uses) {
    const isSame = new Set(all.map((one) => JSON.stringify(one))).size === 1;
    if (all[0] && all.length > 1 && isSame && /^[\w.-]+$/.test(name)) shared[name] = all[0];
  }
  for (const operation of operations) {
    operation.parameters = operation.parameters.map((one) =>
      shared[one.name as string] && JSON.stringify(shared[one.name as string]) === JSON.stringify(one)
        ? { $ref: `#/components/parameters/${one.name}` }
        : one,
    );
  }
}
