// The schemas that check requests, as the OpenAPI document shows them: JSON Schema, and what has a title once.
import type { TSchema } from "@sinclair/typebox";

export type Json = { [key: string]: unknown };

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const mapValues = (object: Json, change: (value: Json) => Json): Json =>
  Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, isObject(value) ? change(value) : value]),
  );

/** A choice between a schema and null, in the words of JSON Schema 2020-12. */
function withNull(schema: Json): Json {
  if (typeof schema.type !== "string") return { anyOf: [schema, { type: "null" }] };
  const { type, enum: values, ...rest } = schema;
  return { type: [type, "null"], ...rest, ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
}

function choice({ anyOf, ...rest }: Json): Json {
  const schemas = anyOf as Json[];
  const [first, ...more] = schemas.filter(({ type }) => type !== "null");
  if (schemas.length > 2 || !first || more.length > 0) return { ...rest, anyOf: schemas };
  return { ...withNull(first), ...rest };
}

/** TypeBox tells a record's keys by patterns; readers and generators know additionalProperties. */
function record({ patternProperties, additionalProperties: _, ...rest }: Json): Json {
  const [[pattern, value] = [], ...more] = Object.entries(patternProperties as Json);
  if (pattern === undefined || more.length > 0) throw new Error("A record has one pattern for its keys.");
  return {
    ...rest,
    ...(pattern === "^(.*)$" ? {} : { propertyNames: { pattern } }),
    additionalProperties: value,
  };
}

export class JsonSchemas {
  /** The components by name. */
  readonly named: Record<string, Json> = {};

  /** The schema; where it has a title, a reference to it. */
  show(schema: TSchema): Json {
    return this.#show(schema as unknown as Json);
  }

  #show(schema: Json): Json {
    const { title, ...rest } = schema;
    if (typeof title !== "string") return this.#plain(rest);
    const shown = this.#plain(rest);
    const known = this.named[title];
    if (known && JSON.stringify(known) !== JSON.stringify(shown)) {
      throw new Error(`Two schemas are called ${title}.`);
    }
    this.named[title] = shown;
    return { $ref: `#/components/schemas/${title}` };
  }

  #plain({ errorMessage, errorCode: _, noValidate: __, ...schema }: Json): Json {
    const show = (part: Json) => this.#show(part);
    const told: Json = {
      ...schema,
      // What the caller is told of a wrong value; a list of values speaks for itself.
      ...(typeof errorMessage === "string" && !schema.enum && !schema.description
        ? { description: errorMessage }
        : {}),
      ...(isObject(schema.properties) ? { properties: mapValues(schema.properties, show) } : {}),
      ...(isObject(schema.patternProperties)
        ? { patternProperties: mapValues(schema.patternProperties, show) }
        : {}),
      ...(isObject(schema.items) ? { items: show(schema.items) } : {}),
      ...(Array.isArray(schema.anyOf) ? { anyOf: schema.anyOf.map(show) } : {}),
    };
    // The pattern only says the values again, to TypeBox.
    if (told.enum) delete told.pattern;
    if (told.patternProperties) return record(told);
    return told.anyOf ? choice(told) : told;
  }
}
