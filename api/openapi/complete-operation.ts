// Adds what the OpenAPI plugin's document lacks: headers, errors as examples, and the errors of every operation.
import {
  authenticationRequired,
  forbidden,
  internalError,
  invalidRequest,
  rateLimitExceeded,
  type ServiceError,
  serviceUnavailable,
} from "#core/errors.ts";
import { INVALID_KEY, TWO_KEYS } from "../access/authenticate.ts";
import type { Json } from "./components.ts";
import { type Examples, errorContent } from "./errors.ts";
import { buildHeaders, REQUEST_ID } from "./headers.ts";

type Schema = Json & {
  description?: string;
  errorMessage?: string;
  title?: string;
  required?: string[];
  examples?: unknown[];
};
type Parameter = { name: string; in: string; required: boolean; schema: Schema };
type Content<S> = { "application/json": { schema: S } };

/** An operation in the plugin's document. */
export type Operation = {
  security: Json[];
  /** The route's access requirement. */
  "x-access": unknown;
  parameters?: Parameter[];
  requestBody?: { content: Content<Schema & { bodyOptional?: true }> };
  responses: { 200: { content: Content<Schema & { refusals: ServiceError[]; alsoAs: string[] }> } };
};

/** Components of the document that operations share. */
export type Shared = { examples: Examples; responses: Record<string, Json> };

const refer = (name: string): Json => ({ $ref: `#/components/responses/${name}` });

/** Returns the error responses that many operations share, as components. */
export function responseComponents(examples: Examples): Record<string, Json> {
  const response = (description: string, refusals: ServiceError[], ...headers: string[]): Json => ({
    description,
    headers: buildHeaders(...headers),
    content: errorContent(examples, refusals),
  });
  return {
    AuthenticationRequired: response("No API key.", [authenticationRequired()], "WWW-Authenticate"),
    Forbidden: response(
      "The API key is invalid or restricted, or the requested resource belongs to another merchant.",
      [
        INVALID_KEY,
        forbidden("This payment intent belongs to another account or mode."),
        forbidden(
          "This API key is restricted: it cannot perform operations that may release or return funds. Use a key " +
            "with full access.",
        ),
      ],
    ),
    RateLimitExceeded: response(
      "Too many requests. Replicas exchange their counts every 250 ms: together they may admit slightly more requests " +
        "than the limit, a single replica never does.",
      [rateLimitExceeded("Too many requests: the limit of 100 is reached. Try again in 12 s.", 12)],
      "Retry-After",
    ),
    InternalError: response("An error on our side.", [internalError(undefined)]),
    ServiceUnavailable: response(
      "A dependency of the request is unavailable; try again.",
      [serviceUnavailable("The database cannot be reached.")],
      "Retry-After",
    ),
  };
}

/** Moves the schema's description and example to the parameter. */
function showParameter({ name, required, schema, ...more }: Parameter): Json {
  const { description, errorMessage, examples, ...rest } = schema;
  return {
    name: name === "idempotency-key" ? "Idempotency-Key" : name,
    ...more,
    ...(required ? { required } : {}),
    description: description ?? errorMessage,
    ...(schema.type === "object" ? { style: "deepObject", explode: true } : {}),
    // A component has its own description and example.
    schema: schema.title === undefined ? rest : schema,
    ...(examples && schema.title === undefined ? { example: examples[0] } : {}),
  };
}

/** Shows a JSON request body with the schema's example. */
function showBody({ examples, ...schema }: Schema): Json {
  const content = { schema, example: examples?.[0] };
  return { required: !schema.bodyOptional, content: { "application/json": content } };
}

const UNKNOWN = invalidRequest("Unknown parameter: colour.", "colour");
const NOT_JSON = invalidRequest("The request body is not valid JSON.");
const KEY_REUSED = invalidRequest(
  "This Idempotency-Key was used with a different request body.",
  "Idempotency-Key",
);
const missing = (param = "") => invalidRequest(`Missing required parameter: ${param}.`, param);

/** Groups errors by status. Many operations have the same 404 errors, so these become components. */
function showRefusals(
  { examples, responses }: Shared,
  refusals: ServiceError[],
  headers: Json,
  isReplayable: boolean,
): Json {
  const shown: Json = {};
  for (const [status, errors] of Map.groupBy(refusals, (refusal) => refusal.status)) {
    const content = errorContent(examples, errors);
    const description = "Invalid, or not allowed in the current state.";
    shown[status] = { description, headers, content };
    if (status !== 404) continue;
    const parameters = Object.keys(content["application/json"].examples).map((example) =>
      example.replace("resource_missing.", ""),
    );
    const name = ["NotFound", ...parameters, ...(isReplayable ? ["replayable"] : [])].join(".");
    responses[name] = { description: "Not found.", headers, content };
    shown[status] = refer(name);
  }
  return shown;
}

/** Returns the complete operation as shown in the document. */
export function complete(shared: Shared, operation: Operation): Json & { parameters: Json[] } {
  const { parameters = [], requestBody, responses, "x-access": _, ...rest } = operation;
  const schema = requestBody?.content["application/json"].schema;
  const body = schema && Object.keys(schema.properties ?? {}).length > 0 ? schema : undefined;
  const isOpen = operation.security.length === 0;
  const isReplayable = parameters.some(({ name }) => name === "idempotency-key");
  const { schema: answer } = responses[200].content["application/json"];
  const refusals = [
    ...answer.refusals,
    ...(body ? [body.required ? missing(body.required[0]) : UNKNOWN, NOT_JSON] : []),
    ...(isReplayable ? [KEY_REUSED] : []),
    ...(isOpen ? [] : [TWO_KEYS]),
    ...(!isOpen && parameters.some((one) => one.in === "query") ? [UNKNOWN] : []),
  ];
  const headers = buildHeaders(...(isReplayable ? ["Idempotent-Replayed"] : []));
  const others = answer.alsoAs.map((type) => [type, { schema: { type: "string" } }]);
  const content = { "application/json": { schema: answer }, ...Object.fromEntries(others) };
  return {
    ...rest,
    parameters: [...parameters.map(showParameter), REQUEST_ID],
    ...(body ? { requestBody: showBody(body) } : {}),
    responses: {
      200: { description: "Success.", headers, content },
      ...showRefusals(shared, refusals, headers, isReplayable),
      ...(isOpen ? {} : { 401: refer("AuthenticationRequired"), 403: refer("Forbidden") }),
      429: refer("RateLimitExceeded"),
      500: refer("InternalError"),
      503: refer("ServiceUnavailable"),
    },
  };
}
