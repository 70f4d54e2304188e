// Parameters in the document: of paths, of queries, and of headers.
import type { TObject } from "@sinclair/typebox";
import { CURSORS, Limit } from "../http/list-schemas.ts";
import { ListIntentsQuery } from "../payment-intents/schemas.ts";
import type { Json, JsonSchemas } from "./json-schemas.ts";
import { isReplayable, type Operation } from "./routes.ts";

const IN_PATH: Record<string, { of: string; example: string }> = {
  intentId: { of: "payment intent", example: `intent_${"7c".repeat(32)}` },
  milestoneId: { of: "milestone", example: "milestone_01990a5e3c7e7000a1b2c3d4e5f60718" },
  eventId: { of: "event", example: "evt_01990a5e3c7e7000a1b2c3d4e5f60718" },
  payoutId: { of: "settlement", example: "payout_01990a5e3c7e7000a1b2c3d4e5f60718" },
  keyId: { of: "API key", example: "key_01990a5e3c7e7000a1b2c3d4e5f60718" },
  endpointId: { of: "webhook endpoint", example: "we_01990a5e3c7e7000a1b2c3d4e5f60718" },
  deliveryId: { of: "delivery", example: "delivery_01990a5e3c7e7000a1b2c3d4e5f60718" },
};

/** Query parameters that lists share. */
const SHARED = {
  limit: Limit,
  ...CURSORS,
  created: ListIntentsQuery.properties.created,
  metadata: ListIntentsQuery.properties.metadata,
};

const paramsOf = ({ path }: Operation): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

function queryParameter(schemas: JsonSchemas, name: string, schema: TObject["properties"][string]): Json {
  // A reference has the description at what it refers to.
  const { description = schema?.description, ...shown } = schemas.show(schema);
  return {
    name,
    in: "query",
    ...(description === undefined ? {} : { description }),
    // `created[gte]=…`
    ...(shown.type === "object" ? { style: "deepObject", explode: true } : {}),
    schema: shown,
  };
}

/** All that an operation refers to. */
export function parameterComponents(schemas: JsonSchemas): Record<string, Json> {
  const inPath = Object.entries(IN_PATH).map(([name, { of, example }]) => [
    name,
    {
      name,
      in: "path",
      required: true,
      description: `The ${of}'s id.`,
      schema: { type: "string" },
      example,
    },
  ]);
  const inQuery = Object.entries(SHARED).map(([name, schema]) => [
    name,
    queryParameter(schemas, name, schema),
  ]);
  return {
    ...Object.fromEntries(inPath),
    ...Object.fromEntries(inQuery),
    "Idempotency-Key": {
      name: "Idempotency-Key",
      in: "header",
      description:
        "A retry with the same key and body within 24 hours gets the same answer and has no effect of its own.",
      schema: { type: "string", minLength: 1, maxLength: 255 },
      example: "7f1a8c3e-2b0d-4a5e-9a41-0c6f5d2f7b11",
    },
    "X-Request-Id": {
      name: "X-Request-Id",
      in: "header",
      description: "The caller's own id for this request; one that is not plain is replaced.",
      schema: { type: "string", pattern: "^[\\w.-]{1,100}$" },
      example: "order-1234-create",
    },
  };
}

const refer = (name: string): Json => ({ $ref: `#/components/parameters/${name}` });

export function parametersOf(schemas: JsonSchemas, operation: Operation): Json[] {
  const query = Object.entries(operation.query?.properties ?? {});
  return [
    ...paramsOf(operation).map(refer),
    ...query.map(([name, schema]) => (name in SHARED ? refer(name) : queryParameter(schemas, name, schema))),
    ...(isReplayable(operation) ? [refer("Idempotency-Key")] : []),
    refer("X-Request-Id"),
  ];
}
