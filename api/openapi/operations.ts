// An operation as the document tells it: what it takes, and everything that it answers.
import {
  authenticationRequired,
  forbidden,
  internalError,
  invalidRequest,
  rateLimitExceeded,
  type ServiceError,
  serviceUnavailable,
} from "#core/errors.ts";
import { INVALID_KEY, TWO_KEYS } from "../http/authenticate.ts";
import type { Errors } from "./errors.ts";
import { headersOf } from "./headers.ts";
import type { Json, JsonSchemas } from "./json-schemas.ts";
import { parametersOf } from "./parameters.ts";
import { isReplayable, type Operation } from "./routes.ts";

const json = (schema: Json, example?: object): Json => ({
  "application/json": { schema, ...(example ? { example } : {}) },
});

/** What every operation of its kind answers besides its own refusals, as components. */
export function responseComponents(errors: Errors): Record<string, Json> {
  const response = (description: string, refusals: ServiceError[], ...headers: string[]): Json => ({
    description,
    headers: headersOf(...headers),
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
          "This API key is restricted: it must not release or return funds, nor start what may. Use a key with full access.",
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

function bodyRefusals({ body }: Operation): ServiceError[] {
  if (!body) return [];
  const [required] = (body.required ?? []) as string[];
  return [
    required === undefined
      ? invalidRequest("Unknown parameter: colour.", "colour")
      : invalidRequest(`Missing required parameter: ${required}.`, required),
    invalidRequest("The request body is not valid JSON."),
  ];
}

/** What follows from how an operation is called. */
function usualRefusals(operation: Operation): ServiceError[] {
  return [
    ...bodyRefusals(operation),
    ...(isReplayable(operation)
      ? [invalidRequest("This Idempotency-Key was used with another request body.", "Idempotency-Key")]
      : []),
    ...(operation.access !== "public" ? [TWO_KEYS] : []),
    ...(operation.access !== "public" && operation.query
      ? [invalidRequest("Unknown parameter: colour.", "colour")]
      : []),
  ];
}

const MEANING: Record<number, string> = {
  400: "The request is not valid, or the state does not allow it.",
  404: "There is no such resource.",
};

const refer = (name: string): Json => ({ $ref: `#/components/responses/${name}` });

/** The document's components so far. */
type Components = { schemas: JsonSchemas; errors: Errors; responses: Record<string, Json> };

/** What may be missing is the same in many operations. */
function missing({ responses }: Components, content: Json, response: Json, replayable: boolean): Json {
  const { examples } = content["application/json"] as { examples: Json };
  const parameters = Object.keys(examples).map((example) => example.replace("resource_missing.", ""));
  const name = ["NotFound", ...parameters, ...(replayable ? ["replayable"] : [])].join(".");
  responses[name] = response;
  return refer(name);
}

function refusalsOf(components: Components, operation: Operation, headers: Json): Json {
  const refusals = [...(operation.refusals ?? []), ...usualRefusals(operation)];
  const statuses = [...new Set(refusals.map(({ status }) => status))].sort();
  return Object.fromEntries(
    statuses.map((status) => {
      const content = components.errors.content(refusals.filter((refusal) => refusal.status === status));
      const response = { description: MEANING[status], headers, content };
      const replayable = isReplayable(operation);
      return [status, status === 404 ? missing(components, content, response, replayable) : response];
    }),
  );
}

function answerOf({ schemas }: Components, { answer, alsoAnswers = [] }: Operation): Json {
  const other = alsoAnswers.map((type) => [type, { schema: { type: "string" } }]);
  return { ...json(schemas.show(answer)), ...Object.fromEntries(other) };
}

function responsesOf(components: Components, operation: Operation): Json {
  const headers = headersOf(...(isReplayable(operation) ? ["Idempotent-Replayed"] : []));
  return {
    200: { description: "Success.", headers, content: answerOf(components, operation) },
    ...refusalsOf(components, operation, headers),
    ...(operation.access !== "public"
      ? { 401: refer("AuthenticationRequired"), 403: refer("Forbidden") }
      : {}),
    429: refer("RateLimitExceeded"),
    500: refer("InternalError"),
    503: refer("ServiceUnavailable"),
  };
}

const KEYS = [{ apiKey: [] }, { bearer: [] }, { basic: [] }];

const securityOf = ({ access }: Operation) =>
  access === "public" ? [] : access.userOnly ? [{ dashboard: [] }] : KEYS;

export function operationOf(components: Components, operation: Operation): Json {
  const { schemas } = components;
  const { documented, body, bodyOptional, example } = operation;
  const { tags, ...said } = documented;
  return {
    ...said,
    tags,
    security: securityOf(operation),
    parameters: parametersOf(schemas, operation),
    ...(body ? { requestBody: { required: !bodyOptional, content: json(schemas.show(body), example) } } : {}),
    responses: responsesOf(components, operation),
  };
}
