// The document that the API serves: valid OpenAPI, and true of what the API answers.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { expect } from "chai";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { type Answer, Client, type Intent } from "./support/client.ts";
import { confirm, create, fund, GOOD, HASH_A, newPayer, prove, untilStatus } from "./support/payments.ts";
import { documentOf, fill, type OpenApiDocument, originOf, type Route, routesOf } from "./support/routes.ts";

let stack: SharedStack;
let client: Client;
let document: OpenApiDocument;
let routes: Route[];

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  document = await documentOf(stack);
  routes = routesOf(document);
});
afterAll(() => stack?.stop());

function routeOf(method: string, template: string): Route {
  const route = routes.find((one) => one.method === method && one.template === template);
  if (!route) throw new Error(`The document has no ${method} ${template}.`);
  return route;
}

/** The answer is one that the document tells of, status and body. */
function expectDocumented(route: Route, { status, body }: Answer<unknown>): void {
  const schema = route.operation.responses[status]?.content?.["application/json"]?.schema;
  const what = `${route.method} ${route.template} ${status}`;
  expect(schema, `${what} is not documented`).to.be.an("object");
  if (!schema) return;
  const validate = ajv.compile(schema);
  expect(validate(body), `${what}: ${ajv.errorsText(validate.errors)}`).to.equal(true);
}

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3, by its own schema", async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect(valid, JSON.stringify(errors)).to.equal(true);
    expect(document.openapi).to.match(/^3\./);
  });

  it("has operations 1 to 11 at the spec's paths, once each", () => {
    expect(routes.map(({ method, template }) => `${method} ${template}`)).to.include.members([
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
    expect(
      Object.keys(document.paths).filter((path) => path.endsWith("/") || path.startsWith("/api")),
    ).to.deep.equal([]);
  });

  it("is a page for people at /docs", async () => {
    const response = await fetch(`${originOf(stack)}/docs`);
    expect(response.status).to.equal(200);
    expect(response.headers.get("content-type")).to.include("text/html");
  });

  it("accepts by its request schemas what the API accepts", async () => {
    const { requestBody } = routeOf("POST", "/payment-intents").operation;
    const validate = ajv.compile(requestBody?.content["application/json"]?.schema ?? {});
    expect(validate({ ...GOOD, metadata: { a: [1], b: null }, deliveryPeriod: 60 })).to.equal(true);
    expect(validate({ ...GOOD, more: 1 })).to.equal(false);
    expect(validate({ ...GOOD, currency: "EUR" })).to.equal(false);
  });
});

describe("what the API answers is what the document says:", () => {
  it("a whole payment, step by step", async () => {
    const created = await client.post<Intent>("/payment-intents", {
      ...GOOD,
      autoRelease: true,
      metadata: { a: 1 },
    });
    expectDocumented(routeOf("POST", "/payment-intents"), created);
    const { id } = created.body;
    const reads = [
      "/payment-intents/{intentId}",
      "/payment-intents/public/{intentId}",
      "/payment-intents/{intentId}/escrow",
    ];
    const readAll = async () => {
      for (const template of reads) {
        const route = routeOf("GET", template);
        expectDocumented(route, await client.get(fill(route, id)));
      }
    };
    await readAll();
    const payer = newPayer();
    const signature = await payer.signTypedData(created.body.data.typedData);
    const confirming = await client.post(`/payment-intents/${id}/confirm`, {
      signature,
      payerAddress: payer.address,
    });
    expect(confirming.status).to.equal(200);
    expectDocumented(routeOf("POST", "/payment-intents/{intentId}/confirm"), confirming);
    await readAll();
    await untilStatus(client, id, "SUCCEEDED");
    await readAll();
    const proof = await prove(client, id);
    expect(proof.status).to.equal(200);
    expectDocumented(routeOf("POST", "/payment-intents/{intentId}/escrow/delivery-proof"), proof);
    await readAll();
    await untilStatus(client, id, "SETTLED");
    await readAll();
  });

  it("a CONDITIONAL payment, and a told transaction", async () => {
    const intent = await create(client, { type: "CONDITIONAL" });
    const route = routeOf("POST", "/payment-intents/public/{intentId}/transaction-hash");
    expectDocumented(route, await client.post(fill(route, intent.id), { transactionHash: HASH_A }));
    await confirm(client, intent);
    const read = routeOf("GET", "/payment-intents/{intentId}");
    expectDocumented(read, await client.get(fill(read, intent.id)));
  });

  it("every refusal, on every route", async () => {
    const { id } = await fund(client);
    const stranger = new Client(stack.baseUrl, stack.merchants[1]?.apiKey);
    const nobody = new Client(stack.baseUrl);
    for (const route of routes) {
      for (const by of [client, stranger, nobody]) {
        for (const intentId of [id, `intent_${"0".repeat(64)}`]) {
          const body = route.takesBody ? { body: { nonsense: true } } : {};
          expectDocumented(route, await by.send(route.method, fill(route, intentId), body));
        }
      }
    }
  });
});
