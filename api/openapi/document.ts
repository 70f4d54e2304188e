// The OpenAPI 3.1 document of /v1, made from the routes: no server, database or chain is needed.
import { Errors } from "./errors.ts";
import { HEADERS } from "./headers.ts";
import { type Json, JsonSchemas } from "./json-schemas.ts";
import { operationOf, responseComponents } from "./operations.ts";
import { parameterComponents } from "./parameters.ts";
import { documentedOperations } from "./routes.ts";
import { pathItemsOf, WEBHOOK_PARAMETERS, webhooks } from "./webhooks.ts";

const TAGS: Record<string, string> = {
  "Payment intents": "Requests to collect a payment.",
  "Payment page":
    "What the page needs on which a payer pays. Scripts of every origin may call what is below /v1/payment-intents/public/ " +
    "(CORS, without credentials), so that a merchant can build a page of their own.",
  Escrow: "The order that holds a payment's funds, and what moves it.",
  Milestones: "Parts of a payment that are released one after the other.",
  Events: "What happened, as webhooks tell it.",
  Webhooks: "Where events are sent.",
  Settlements: "What was paid out in fiat.",
  Balance: "Where a merchant's money is.",
  Account: "The merchant that a key or a session acts for.",
  "API keys": "What opens the API: made and ended by users of the dashboard.",
  "Audit log": "Who did what.",
  "Test clock": "Time that passes when a test says so, on a local chain alone.",
};

const SECURITY_SCHEMES = {
  apiKey: { type: "apiKey", in: "header", name: "X-API-Key" },
  bearer: { type: "http", scheme: "bearer" },
  dashboard: {
    type: "apiKey",
    in: "cookie",
    name: "gateway.session_token",
    description:
      "A session of the dashboard, from its own origin, with the header `X-Dashboard-Mode: test` or `live`. It opens every operation that a key opens.",
  },
  basic: { type: "http", scheme: "basic", description: "The API key as the user name, without a password." },
};

const sorted = (object: Json): Json =>
  Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));

function pathsOf(schemas: JsonSchemas, errors: Errors, responses: Record<string, Json>): Json {
  const paths: Record<string, Json> = {};
  for (const operation of documentedOperations()) {
    const { path } = operation;
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: operationOf({ schemas, errors, responses }, operation),
    };
  }
  return paths;
}

export function openApiDocument(): Json {
  const schemas = new JsonSchemas();
  const errors = new Errors();
  const responses = responseComponents(errors);
  const parameters = { ...parameterComponents(schemas), ...WEBHOOK_PARAMETERS };
  const paths = pathsOf(schemas, errors, responses);
  const pathItems = pathItemsOf(schemas);
  return {
    openapi: "3.1.2",
    info: {
      title: "Payment intents and escrow",
      version: "1.1.0",
      description: "Collects stablecoin payments through an on-chain escrow and settles them to fiat.",
      contact: { name: "The operator of this gateway" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }, { url: "/api", description: "The same, as local base URLs have it." }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: sorted(parameters),
      headers: HEADERS,
      responses: sorted(responses),
      schemas: sorted({ ...schemas.named, ...errors.schemas }),
      pathItems,
      examples: sorted(errors.examples),
    },
  };
}
