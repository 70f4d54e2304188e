// The document that the API serves is valid OpenAPI, current and complete, and it matches the API's responses.
// (test/support/documented.ts checks every response in every test against it.)
import { afterAll, beforeAll, describe, it } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect } from "chai";
import { faultOf } from "../support/documented.ts";
import {
  type Content,
  type Example,
  openApiDocument,
  type Parameter,
  type Response,
  resolved,
} from "../support/openapi-document.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client } from "./support/client.ts";
import { fund, GOOD } from "./support/payments.ts";
import { documentOf, fill, originOf, type Route, routesOf } from "./support/routes.ts";

let stack: SharedStack;
let client: Client;
const ROUTES: Route[] = routesOf(openApiDocument);
const OPERATIONS = ROUTES.map(
  ({ method, template, operation }) => [`${method} ${template}`, operation] as const,
);

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
});
afterAll(() => stack?.stop());

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1, by its own schema", async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(openApiDocument) as never);
    expect(valid, JSON.stringify(errors)).to.equal(true);
    expect(openApiDocument.openapi).to.match(/^3\.1\./);
  });

  it("is served as committed", async () => {
    expect(await documentOf(stack)).to.deep.equal(openApiDocument);
  });

  it("does not repeat itself, and is small enough to read", () => {
    expect(JSON.stringify(openApiDocument).length).to.be.below(250_000);
  });

  it("names every field in camelCase, except has_more, which the spec's lists use", () => {
    const names = new Set<string>();
    const collect = (part: unknown): void => {
      if (typeof part !== "object" || part === null) return;
      const { properties } = part as { properties?: object };
      for (const name of Object.keys(properties ?? {})) names.add(name);
      for (const inner of Object.values(part)) collect(inner);
    };
    collect(openApiDocument);
    expect([...names].filter((name) => name.includes("_"))).to.deep.equal(["has_more"]);
  });

  it("has operations 1 to 11 at the spec's paths, once each", () => {
    expect(ROUTES.map(({ method, template }) => `${method} ${template}`)).to.include.members([
      "POST /payment-intents",
      "GET /payment-intents/{intentId}",
      "GET /payment-intents/public/{intentId}",
      "POST /payment-intents/{intentId}/confirm",
      "POST /payment-intents/public/{intentId}/transaction-hash",
      "GET /payment-intents/{intentId}/escrow",
      "POST /payment-intents/{intentId}/escrow/delivery-proof",
      "POST /payment-intents/{intentId}/escrow/dispute",
      "POST /payment-intents/{intentId}/escrow/milestones",
      "POST /payment-intents/{intentId}/escrow/milestones/{milestoneId}/complete",
      "GET /payment-intents",
    ]);
    const paths = Object.keys(openApiDocument.paths);
    expect(paths.filter((path) => path.endsWith("/") || !path.startsWith("/v1/"))).to.deep.equal([]);
  });

  it("has request schemas that accept what the API accepts", () => {
    const schema = { $ref: "#/components/schemas/CreatePaymentIntent" };
    const good = { ...GOOD, metadata: { a: [1], b: null }, deliveryPeriod: 60 };
    expect(faultOf(schema, good)).to.equal(undefined);
    expect(faultOf(schema, { ...GOOD, more: 1 })).to.be.a("string");
    expect(faultOf(schema, { ...GOOD, settlementMethod: "CASH" })).to.be.a("string");
    expect(faultOf(schema, { ...GOOD, metadata: { ["k".repeat(101)]: 1 } })).to.be.a("string");
  });
});

/** Checks that every example of a media type matches its schema. */
function expectExamples(what: string, { schema, example, examples }: Content): void {
  const values = Object.values(examples ?? {}).map((one) => resolved<Example>(one).value);
  for (const value of example === undefined ? values : [example, ...values]) {
    expect(faultOf(schema, value), `${what}: ${JSON.stringify(value)}`).to.equal(undefined);
  }
}

describe("every operation of the document", () => {
  it("has a unique id, a summary, a tag and a security requirement", () => {
    const ids = OPERATIONS.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).to.equal(OPERATIONS.length);
    for (const [what, { operationId, summary, tags, security }] of OPERATIONS) {
      expect(operationId, what).to.match(/^[a-z][A-Za-z]+$/);
      expect(summary, what).to.be.a("string").and.not.empty;
      expect(tags, what).to.have.length(1);
      expect(security, what).to.be.an("array");
    }
  });

  it("lists its parameters: those of the path, X-Request-Id, and Idempotency-Key for a POST or PATCH", () => {
    for (const [what, operation] of OPERATIONS) {
      const parameters = (operation.parameters ?? []).map((one) => resolved<Parameter>(one));
      const inPath = [...what.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(parameters.filter((one) => one.in === "path").map(({ name }) => name)).to.deep.equal(inPath);
      const headers = parameters.filter((one) => one.in === "header").map(({ name }) => name);
      expect(headers, what).to.deep.equal([
        ...(/^(POST|PATCH) /.test(what) ? ["Idempotency-Key"] : []),
        "X-Request-Id",
      ]);
    }
  });

  it("has a body with an example that its schema allows", () => {
    for (const [what, { requestBody }] of OPERATIONS) {
      if (!requestBody) continue;
      const content = requestBody.content["application/json"];
      expect(content?.example, what).to.be.an("object");
      if (content) expectExamples(what, content);
    }
  });

  it("describes every response with its headers, and every error with an example", () => {
    for (const [what, { responses, security }] of OPERATIONS) {
      const statuses = Object.keys(responses);
      expect(statuses, what).to.include.members(["200", "429", "500", "503"]);
      if (security?.length) expect(statuses, what).to.include.members(["401", "403"]);
      if (what.includes("{")) expect(statuses, what).to.include("404");
      for (const [status, response] of Object.entries(responses)) {
        const { headers = {}, content } = resolved<Response>(response);
        expect(Object.keys(headers), `${what} ${status}`).to.include.members([
          "X-Request-Id",
          "X-RateLimit-Limit",
          "X-RateLimit-Remaining",
          "X-RateLimit-Reset",
          ...(status === "429" || status === "503" ? ["Retry-After"] : []),
        ]);
        const json = content?.["application/json"];
        if (!json) throw new Error(`${what} ${status} has no body.`);
        if (status === "200") continue;
        expect(Object.keys(json.examples ?? {}), `${what} ${status}`).to.not.be.empty;
        expectExamples(`${what} ${status}`, json);
      }
    }
  });
});

describe("the API's responses match the document:", () => {
  it("every error, on every route", async () => {
    const { id } = await fund(client);
    const stranger = new Client(stack.baseUrl, stack.merchants[1]?.apiKey);
    const nobody = new Client(stack.baseUrl);
    for (const route of ROUTES) {
      for (const by of [client, stranger, nobody]) {
        for (const intentId of [id, `intent_${"0".repeat(64)}`]) {
          const body = route.takesBody ? { body: { nonsense: true } } : {};
          await by.send(route.method, fill(route, intentId), body);
        }
      }
    }
  });
});

describe("the reference page at /docs/reference", () => {
  it("comes only from this server, and may not load anything from another server", async () => {
    const response = await fetch(`${originOf(stack)}/docs/reference`);
    expect(response.status).to.equal(200);
    expect(response.headers.get("content-type")).to.include("text/html");
    const policy = response.headers.get("content-security-policy");
    expect(policy)
      .to.include("default-src 'none'")
      .and.match(/script-src 'self' 'sha256-[\w+/]+='; /);
    const links = [...(await response.text()).matchAll(/(?:src|href)="([^"]*)"/g)].map(
      ([, link]) => link ?? "",
    );
    expect(links).to.have.length(2);
    for (const link of links) {
      expect(link).to.match(/^\/docs(\/|$)/);
      const loaded = await fetch(`${originOf(stack)}${link}`);
      expect(loaded.status, link).to.equal(200);
      expect((await loaded.blob()).size, link).to.be.above(50);
    }
  });
});
