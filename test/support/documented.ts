// Validates the gateway's responses against its OpenAPI document: route, status, headers and body. The helpers that
// send requests validate every response, so an undocumented response fails any test.
import { Ajv2020, type AnySchema, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import {
  type Header,
  type Operation,
  openApiDocument,
  type Response,
  resolved,
  type Schema,
} from "./openapi-document.ts";

const ROOT = "openapi.json";

/** Forbids additional fields in a schema. Clients must tolerate fields that are added later, but the tests must not. */
function closed<T>(schema: T): T {
  return JSON.parse(JSON.stringify(schema), (_, value) =>
    value?.type === "object" && value.properties && value.additionalProperties === undefined
      ? { ...value, additionalProperties: false }
      : value,
  );
}

const ajv = new Ajv2020({ strict: false, allErrors: true, coerceTypes: false });
formats.default(ajv);
ajv.addSchema({
  $id: ROOT,
  components: { schemas: closed(openApiDocument.components.schemas) },
} as AnySchema);

const validators = new Map<Schema, ValidateFunction>();

/** Returns what is wrong with the value; undefined if it is valid. */
export function faultOf(schema: Schema, value: unknown): string | undefined {
  let validate = validators.get(schema);
  if (!validate) {
    validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"${ROOT}#/`)));
    validators.set(schema, validate);
  }
  if (validate(value)) return undefined;
  const errors = (validate.errors ?? []).slice(0, 8);
  return errors
    .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
    .join(", ");
}

type Route = { method: string; template: string; pattern: RegExp; literals: number; operation: Operation };

const ROUTES: Route[] = Object.entries(openApiDocument.paths)
  .flatMap(([template, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      template,
      pattern: new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}/?$`),
      literals: template.split("/").filter((part) => !part.startsWith("{")).length,
      operation,
    })),
  )
  .sort((a, b) => b.literals - a.literals);

export type Answered = {
  method: string;
  /** The requested path with its query, such as `/v1/events?limit=1` or `/api/v1/…`. */
  target: string;
  status: number;
  headers: Headers;
  /** The body's text. */
  text: string;
};

/** HEAD requests have the same route as GET (RFC 9110). */
const routeOf = (asked: string, target: string): Route | undefined => {
  const method = asked === "HEAD" ? "GET" : asked;
  const path = target.replace(/[?#].*$/s, "").replace(/^\/api(?=\/v1)/, "");
  return ROUTES.find((route) => route.method === method && route.pattern.test(path));
};

/** Headers that concern the transfer rather than the API's response. */
const OF_HTTP = new Set([
  "cache-control",
  "content-type",
  "content-disposition",
  "content-length",
  "date",
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-encoding",
  "vary",
  "allow",
  "x-content-type-options",
  "strict-transport-security",
  // Only public routes return these. The document describes them in its text; test/api/cors.test.ts tests them.
  "access-control-allow-origin",
  "access-control-expose-headers",
]);

function faultsOfHeaders(documented: Record<string, Header>, headers: Headers): string[] {
  const known = new Map(Object.entries(documented).map(([name, header]) => [name.toLowerCase(), header]));
  const undocumented = [...headers.keys()].filter((name) => !known.has(name) && !OF_HTTP.has(name));
  const faults = [...known].map(([name, { required, schema }]) => {
    const text = headers.get(name);
    if (text === null) return required ? `the header ${name} is missing` : undefined;
    const fault = faultOf(schema, schema.type === "integer" ? Number(text) : text);
    return fault && `the header ${name} ${fault}`;
  });
  return [
    ...undocumented.map((name) => `the header ${name}`),
    ...faults.filter((fault) => fault !== undefined),
  ];
}

function faultOfBody(schema: Schema, { headers, text }: Answered): string | undefined {
  if (!headers.get("content-type")?.startsWith("application/json")) return "it is not sent as JSON";
  try {
    return faultOf(schema, JSON.parse(text));
  } catch {
    return "it is no JSON";
  }
}

const headersNamed = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
const SHOWN = ["X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];
const errorOf = (code: string) => ({
  "application/json": { schema: { $ref: `#/components/schemas/Error.${code}` } },
});

/** Responses for a route that does not exist: the gateway reports this, or that the client is rate-limited. */
const UNROUTED: Record<number, Response> = {
  404: { headers: headersNamed(...SHOWN), content: errorOf("resource_missing") },
  429: { headers: headersNamed(...SHOWN, "Retry-After"), content: errorOf("rate_limit_exceeded") },
};

function responseTo(route: Route | undefined, status: number): Response | undefined {
  if (!route) return UNROUTED[status];
  const response = route.operation.responses[status];
  return response && resolved<Response>(response);
}

/** Returns what is wrong with a response, with or without a route; undefined if it is valid. */
function faultOfAnswer(route: Route | undefined, answered: Answered): string | undefined {
  const { method, status, headers } = answered;
  const response = responseTo(route, status);
  if (!response) return "the document does not have it";
  const documented = Object.fromEntries(
    Object.entries(response.headers ?? {}).map(([name, header]) => [name, resolved<Header>(header)]),
  );
  const faults = faultsOfHeaders(documented, headers);
  const isCsv = headers.get("content-type")?.startsWith("text/csv") && response.content?.["text/csv"];
  const schema = isCsv ? undefined : response.content?.["application/json"]?.schema;
  // A HEAD response has no body.
  const fault = schema && method !== "HEAD" ? faultOfBody(schema, answered) : undefined;
  if (fault) faults.push(`the body: ${fault}`);
  return faults.length === 0 ? undefined : faults.join("; ");
}

/** @throws Error unless the document contains this response: route, status, headers and body */
export function expectDocumented(answered: Answered): void {
  const { method, target, status, text } = answered;
  // A path such as `/v1/x/../y` matches one route as sent, and may match another after URL normalization.
  const asUrl = new URL(`http://localhost${target}`).pathname;
  const routes = [...new Set([target, asUrl].map((path) => routeOf(method, path)))];
  const faults = routes.map((route) => ({ route, fault: faultOfAnswer(route, answered) }));
  if (faults.some(({ fault }) => fault === undefined)) return;
  const [{ route, fault } = {}] = faults;
  throw new Error(
    `${method} ${target.slice(0, 300)} (${route?.template ?? "no route"}) answered ${status}, not as the OpenAPI ` +
      `document has it: ${fault}: ${text.slice(0, 500)}`,
  );
}

/** Sends a request and validates the response against the document. */
export async function fetchDocumented(request: Request): Promise<globalThis.Response> {
  const { pathname, search } = new URL(request.url);
  const { method } = request;
  const response = await fetch(request);
  const { status, headers } = response;
  expectDocumented({
    method,
    target: `${pathname}${search}`,
    status,
    headers,
    text: await response.clone().text(),
  });
  return response;
}

/** Returns what is wrong with a webhook; undefined if it matches the document. */
export function faultOfWebhook(headers: Headers, body: string): string | undefined {
  const event = JSON.parse(body) as { type: string };
  const documented = openApiDocument.webhooks[event.type];
  if (!documented) return `the event ${event.type}`;
  const { post } = resolved<{ post: Operation }>(documented);
  const faults = (post.parameters ?? []).map((parameter) => {
    const { name, schema } = resolved(parameter);
    return faultOf(schema, headers.get(name));
  });
  const schema = post.requestBody?.content["application/json"]?.schema ?? {};
  return [...faults, faultOf(schema, event)].find((fault) => fault !== undefined);
}
