// The OpenAPI 3.1 document of /v1: the OpenAPI plugin's, which it makes of the routes' schemas and details, completed
// (operations.ts).
import { extractParameters, extractSchemas, type Json } from "./components.ts";
import type { Examples } from "./errors.ts";
import { HEADERS } from "./headers.ts";
import { complete, type Operation, responseComponents } from "./operations.ts";
import { buildPathItems, WEBHOOKS } from "./webhooks.ts";

export const VERSION = "3.1.2";

const TAGS: Record<string, string> = {
  "Payment intents": "Requests to collect a payment.",
  "Payment page":
    "What the page needs on which a payer pays. Scripts of every origin may call what is below /v1/payment-intents/public/ " +
    "(CORS, without credentials), so that a merchant can build a page of their own.",
  Escrow: "The order that holds a payment's funds, and what moves it.",
  Milestones: "Parts of a payment that are released one after the other.",
  Events: "What happened, as webhooks carry it.",
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

/** What it says of the gateway. */
const DOCUMENTATION = {
  info: {
    title: "Payment intents and escrow",
    version: "1.1.0",
    description:
      "Collects stablecoin payments through an on-chain escrow and settles them to fiat. [Guides](/docs) show how.",
    contact: { name: "The operator of this gateway" },
    license: { name: "MIT", identifier: "MIT" },
  },
  servers: [{ url: "/" }, { url: "/api", description: "The same, as local base URLs have it." }],
  tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
};

/** @param made the plugin's operations */
export function completed(made: Record<string, Record<string, Operation>>) {
  const examples: Examples = {};
  const responses = responseComponents(examples);
  const paths = Object.fromEntries(
    Object.entries(made).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, one]) => [method, complete({ examples, responses }, one)]),
      ),
    ]),
  );
  const pathItems = buildPathItems();
  const operations = [...Object.values(paths), ...Object.values(pathItems)].flatMap((item) =>
    Object.values(item),
  );
  const parameters = extractParameters(operations);
  const { parts, schemas } = extractSchemas({ paths, pathItems, parameters, responses });
  return {
    ...DOCUMENTATION,
    openapi: VERSION,
    paths: parts.paths,
    webhooks: WEBHOOKS,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: sorted(parts.parameters),
      headers: HEADERS,
      responses: sorted(parts.responses),
      schemas: sorted(schemas),
      pathItems: parts.pathItems,
      examples: sorted(examples),
    },
  };
}
