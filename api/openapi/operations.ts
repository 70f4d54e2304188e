// What the OpenAPI plugin's document lacks of an operation: headers, refusals as examples, and what every operation
// refuses.
import {
  authenticationRequired,
  forbidden,
  internalError,
  invalidRequest,
  rateLimitExceeded,
  type ServiceError,
  serviceUnavailable,
} from "#core/errors.ts";
import { INVALID_KEY, TWO_KEYS } from "../access/access-control.ts";
import type { Components, Json } from "./components.ts";
import type { Errors } from "./errors.ts";
import { buildHeaders } from "./headers.ts";

/** As the plugin makes it. */
export type Operation = {
  security: Json[];
  /** What the route asks of its caller. */
  "x-access": unknown;
  parameters?: { name: string; in: string; required: boolean; schema: Json }[];
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<string, { content: Record<string, { schema: Json & { refusals?: ServiceError[] } }> }>;
};

/** With all that the document says of it. */
export type Completed = Json & { parameters: Json[] };

/** The document's components so far. */
export type Shared = { components: Components; errors: Errors; responses: Record<string, Json> };

const refer = (name: string): Json => ({ $ref: `#/components/responses/${name}` });

/** What every operation of its kind answers besides its own refusals, as components. */
export function responseComponents(errors: Errors): Record<string, Json> {
  const response = (description: string, refusals: ServiceError[], ...headers: string[]): Json => ({
    description,
    headers: buildHeaders(...headers),
    content: errors.content(refusals),
  });
  return {
    AuthenticationRequired: response("No API key.", [authenticationRequired()], "WWW-Authenticate"),
    Forbidden: response(
      "The API key is not valid, is restricted, or belongs to another merchant than what is asked for.",
      [
        INVALID_KEY,
        forbidden("This payment intent belongs to another account or mode."),
        forbidden(
          "This API key is restricted: it must not release or return funds, nor start an operation that may. Use a key with full access.",
        ),
      ],
    ),
    RateLimitExceeded: response(
      "Too many requests. Replicas exchange their counts every 250 ms: together they may admit a few more than the limit, a single one never.",
      [rateLimitExceeded("Too many requests: the limit of 100 is reached. Try again in 12 s.", 12)],
      "Retry-After",
    ),
    InternalError: response("A mistake on our side.", [internalError(undefined)]),
    ServiceUnavailable: response(
      "A part that the answer depends on is away; try again.",
      [serviceUnavailable("The database cannot be reached.")],
      "Retry-After",
    ),
  };
}

/** The schema's words and example, said by the parameter itself. */
export function parameter(
  { components }: Shared,
  { name, required, schema, ...more }: NonNullable<Operation["parameters"]>[number],
): Json {
  const { description, examples, ...shown } = components.schema(schema) as Json & { examples?: unknown[] };
  const known = description ?? schema.description;
  return {
    name: name === "idempotency-key" ? "Idempotency-Key" : name,
    ...more,
    ...(required ? { required } : {}),
    ...(known === undefined ? {} : { description: known }),
    ...(shown.type === "object" ? { style: "deepObject", explode: true } : {}),
    schema: shown,
    ...(examples ? { example: examples[0] } : {}),
  };
}

const REQUEST_ID = {
  name: "X-Request-Id",
  in: "header",
  description: "The caller's own id for this request; one that is not plain is replaced.",
  schema: { type: "string", pattern: "^[\\w.-]{1,100}$" },
  example: "order-1234-create",
};

/** JSON, with the schema's example; nothing where only an empty object is taken. */
function requestBody({ components }: Shared, schema: Json): Json {
  if (Object.keys(schema.properties ?? {}).length === 0) return {};
  const { examples, bodyOptional, ...shown } = schema as Json & { examples?: unknown[] };
  const content = { schema: components.schema(shown), example: examples?.[0] };
  return { requestBody: { required: !bodyOptional, content: { "application/json": content } } };
}

/** What follows from how an operation is called. */
function usualRefusals(
  { security, parameters = [] }: Operation,
  isReplayable: boolean,
  body: Json | undefined,
): ServiceError[] {
  const [required] = (body?.required ?? []) as string[];
  const unknown = invalidRequest("Unknown parameter: colour.", "colour");
  return [
    ...(body
      ? [
          required === undefined
            ? unknown
            : invalidRequest(`Missing required parameter: ${required}.`, required),
          invalidRequest("The request body is not valid JSON."),
        ]
      : []),
    ...(isReplayable
      ? [invalidRequest("This Idempotency-Key was used with another request body.", "Idempotency-Key")]
      : []),
    ...(security.length > 0 ? [TWO_KEYS] : []),
    ...(security.length > 0 && parameters.some((one) => one.in === "query") ? [unknown] : []),
  ];
}

const MEANING: Record<number, string> = {
  400: "The request is not valid, or the state does not allow it.",
  404: "There is no such resource.",
};

/** What may be missing is the same in many operations. */
function missing({ responses }: Shared, response: Json, examples: Json, isReplayable: boolean): Json {
  const parameters = Object.keys(examples).map((example) => example.replace("resource_missing.", ""));
  const name = ["NotFound", ...parameters, ...(isReplayable ? ["replayable"] : [])].join(".");
  responses[name] = response;
  return refer(name);
}

function buildRefusals(shared: Shared, refusals: ServiceError[], headers: Json, isReplayable: boolean): Json {
  const byStatus = Map.groupBy(refusals, ({ status }) => status);
  return Object.fromEntries(
    [...byStatus].map(([status, errors]) => {
      const content = shared.errors.content(errors);
      const response = { description: MEANING[status], headers, content };
      const { examples } = content["application/json"] as { examples: Json };
      return [status, status === 404 ? missing(shared, response, examples, isReplayable) : response];
    }),
  );
}

export function complete(shared: Shared, operation: Operation): Completed {
  const { parameters = [], requestBody: { content } = {}, responses, "x-access": _, ...rest } = operation;
  const schema = content?.["application/json"]?.schema;
  const body = schema && requestBody(shared, schema);
  const isReplayable = parameters.some(({ name }) => name === "idempotency-key");
  const headers = buildHeaders(...(isReplayable ? ["Idempotent-Replayed"] : []));
  const findSchema = (status: string) => responses[status]?.content["application/json"]?.schema;
  const own = Object.keys(responses).flatMap((status) => findSchema(status)?.refusals ?? []);
  const usual = usualRefusals(operation, isReplayable, body?.requestBody ? schema : undefined);
  const answer = findSchema("200") ?? {};
  const others = ((answer.alsoAs ?? []) as string[]).map((type) => [type, { schema: { type: "string" } }]);
  return {
    ...rest,
    parameters: [...parameters.map((one) => parameter(shared, one)), REQUEST_ID],
    ...body,
    responses: {
      200: {
        description: "Success.",
        headers,
        content: {
          "application/json": { schema: shared.components.schema(answer) },
          ...Object.fromEntries(others),
        },
      },
      ...buildRefusals(shared, [...own, ...usual], headers, isReplayable),
      ...(operation.security.length > 0
        ? { 401: refer("AuthenticationRequired"), 403: refer("Forbidden") }
        : {}),
      429: refer("RateLimitExceeded"),
      500: refer("InternalError"),
      503: refer("ServiceUnavailable"),
    },
  };
}
