// Runs the request examples of the OpenAPI document. Each example is sent for a payment in the required state and must
// succeed as documented.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { openApiDocument } from "../support/openapi-document.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client } from "./support/client.ts";
import { EVERY_WRITE } from "./support/every-write.ts";
import { type Route, routesOf } from "./support/routes.ts";

let stack: SharedStack;
let client: Client;

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
});
afterAll(() => stack?.stop());

const exampleOf = ({ operation }: Route) =>
  operation.requestBody?.content["application/json"]?.example as object;
const EXAMPLES = routesOf(openApiDocument).filter(({ takesBody }) => takesBody);

/** Fields whose values depend on the payment: the payer, their signature and their transaction. */
const OF_THE_PAYMENT: Record<string, string[]> = {
  "/payment-intents/{intentId}/confirm": ["signature", "payerAddress"],
  "/payment-intents/public/{intentId}/confirm": ["signature", "payerAddress"],
  "/payment-intents/{intentId}/escrow/dispute": ["raisedBy"],
  // The example would advance the clock of every test that shares the gateway.
  "/test/clock/advance": ["seconds"],
};

describe("the documented body example works, with the payment's own accounts and signatures, for", () => {
  const named = EXAMPLES.map((route) => [`${route.method} ${route.template}`, route] as const);
  it.each(named)("%s", async (name, route) => {
    const { method, template } = route;
    const prepare = EVERY_WRITE[name];
    if (!prepare) throw new Error(`Nothing prepares a ${name}.`);
    const { path, body = {}, by: its } = await prepare(client, stack);
    const own = (OF_THE_PAYMENT[template] ?? []).map((name) => [
      name,
      (body as Record<string, unknown>)[name],
    ]);
    const by = its ?? (path.includes("/public/") ? new Client(stack.baseUrl) : client);
    const answer = await by.send(method, path, { body: { ...exampleOf(route), ...Object.fromEntries(own) } });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
  });
});
