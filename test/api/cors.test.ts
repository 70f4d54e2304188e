// Tests a merchant's own checkout page: scripts of any origin may call the public routes but no other route, and one
// request returns everything that the page needs.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client, type Intent, type TypedData } from "./support/client.ts";
import { create, newPayer, untilStatus } from "./support/payments.ts";
import { documentOf, fill, originOf, type Route, routesOf } from "./support/routes.ts";
import { signIn } from "./support/session.ts";

const ORIGIN = { Origin: "https://checkout.shop.example" };

let stack: SharedStack;
let client: Client;
let intent: Intent;
let routes: Route[];

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  intent = await create(client);
  routes = routesOf(await documentOf(stack));
});
afterAll(() => stack?.stop());

const preflight = (path: string, method: string, base = stack.baseUrl) =>
  fetch(`${base}${path}`, {
    method: "OPTIONS",
    headers: {
      ...ORIGIN,
      "Access-Control-Request-Method": method,
      "Access-Control-Request-Headers": "content-type,idempotency-key",
    },
  });
const corsOf = ({ headers }: { headers: Headers }) =>
  [...headers.keys()].filter((name) => name.startsWith("access-control-"));

describe("a script from another origin", () => {
  it("may call every public route: a preflight names methods and headers, and does not allow credentials", async () => {
    for (const base of [stack.baseUrl, `${originOf(stack)}/v1`]) {
      for (const route of routes.filter((one) => one.public)) {
        const answer = await preflight(fill(route, intent.id), route.method, base);
        expect(answer.status, route.template).to.equal(204);
        expect(await answer.text()).to.equal("");
        expect(answer.headers.get("access-control-allow-origin")).to.equal("*");
        expect(answer.headers.get("access-control-allow-methods")).to.include(route.method);
        const allowed = answer.headers.get("access-control-allow-headers")?.toLowerCase();
        for (const name of ["content-type", "idempotency-key"]) expect(allowed).to.include(name);
        for (const name of ["authorization", "x-api-key", "cookie"]) expect(allowed).not.to.include(name);
        expect(answer.headers.get("access-control-allow-credentials")).to.equal(null);
      }
    }
  });

  it("may not call any other route, with or without a preflight, with a key or a session", async () => {
    const session = await signIn(stack);
    for (const route of routes.filter((one) => !one.public)) {
      const refused = await preflight(fill(route, intent.id), route.method);
      expect(refused.status, route.template).to.equal(404);
      expect(corsOf(refused), route.template).to.deep.equal([]);
    }
    for (const path of ["/payment-intents", "/account", "/nothing", `/payment-intents/${intent.id}`]) {
      for (const by of [client, session, new Client(stack.baseUrl)]) {
        expect(corsOf(await by.get(path, ORIGIN)), path).to.deep.equal([]);
      }
    }
    for (const path of ["/", "/docs/json", "/health", `/?intent=${intent.id}`]) {
      expect(corsOf(await fetch(`${originOf(stack)}${path}`, { headers: ORIGIN })), path).to.deep.equal([]);
    }
  });

  it("can read responses and errors with their headers, and the stream", async () => {
    const page = new Client(stack.baseUrl);
    for (const path of [intent.id, `${intent.id}/checkout`, "unknown", `${intent.id}?payerAddress=x`]) {
      const { headers } = await page.get(`/payment-intents/public/${path}`, ORIGIN);
      expect(headers.get("access-control-allow-origin"), path).to.equal("*");
      const exposed = headers.get("access-control-expose-headers")?.toLowerCase();
      for (const name of ["x-request-id", "retry-after", "x-ratelimit-remaining"]) {
        expect(exposed, path).to.include(name);
      }
      expect(headers.get("access-control-allow-credentials")).to.equal(null);
    }
    const abort = new AbortController();
    const stream = await fetch(`${stack.baseUrl}/payment-intents/public/${intent.id}/checkout`, {
      headers: { ...ORIGIN, Accept: "text/event-stream" },
      signal: abort.signal,
    });
    expect(stream.headers.get("access-control-allow-origin")).to.equal("*");
    abort.abort();
  });

  it("can pay with the data of one response", async () => {
    type Checkout = { data: { typedData: TypedData; fundingMethods: { method: string }[] } };
    const page = new Client(stack.baseUrl);
    const { id } = await create(client);
    const { body } = await page.get<Checkout>(`/payment-intents/public/${id}/checkout`, ORIGIN);
    expect(body.data.fundingMethods.map(({ method }) => method)).to.include("ALLOWANCE");
    const payer = newPayer();
    const signature = await payer.signTypedData(body.data.typedData);
    const confirmed = await page.post<Intent>(
      `/payment-intents/public/${id}/confirm`,
      { signature, payerAddress: payer.address },
      ORIGIN,
    );
    expect(confirmed.status, JSON.stringify(confirmed.body)).to.equal(200);
    expect(confirmed.headers.get("access-control-allow-origin")).to.equal("*");
    await untilStatus(client, id, "SUCCEEDED");
  });
});
