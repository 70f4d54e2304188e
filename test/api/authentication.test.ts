// Tests who may call which operation (spec, "Authentication"), for every route and every kind of key.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { eq } from "drizzle-orm";
import { hashKey, newKey, storeKey } from "#core/api-keys/api-keys.ts";
import { connect } from "#core/db/client.ts";
import { apiKey } from "#core/db/schema/merchants.ts";
import { startAnotherApi } from "../support/another-api.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";
import { Client, type Intent } from "./support/client.ts";
import { create, GOOD } from "./support/payments.ts";
import { documentOf, fill, originOf, type Route, routesOf } from "./support/routes.ts";
import { expectError } from "./support/shapes.ts";

let stack: SharedStack;
let client: Client;
let intent: Intent;
let routes: Route[];
let liveKey: string;
let hackathonKey: string;
let revokedKey: string;

beforeAll(async () => {
  stack = await sharedStack();
  client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
  intent = await create(client);
  routes = routesOf(await documentOf(stack));
  const database = connect(stack.databaseUrl, { max: 1, application: "test" });
  const store = async (prefix: "sk_live_" | "sk_hackathon_" | "sk_test_") => {
    const key = newKey(prefix);
    await storeKey(database, stack.merchants[0]?.merchantId ?? "", key);
    return key;
  };
  liveKey = await store("sk_live_");
  hackathonKey = await store("sk_hackathon_");
  revokedKey = await store("sk_test_");
  await database
    .update(apiKey)
    .set({ revokedAt: new Date() })
    .where(eq(apiKey.hash, hashKey(revokedKey)));
  await database.$client.end();
});
afterAll(() => stack?.stop());

const closed = () => routes.filter((route) => !route.public);
/** A valid body for each route. A key is rejected before the body is read; the intent may be rejected after it. */
const exampleOf = ({ operation }: Route): unknown =>
  operation.requestBody?.content["application/json"]?.example;
const call = (route: Route, headers: Record<string, string>, id = intent.id) =>
  new Client(stack.baseUrl).send(route.method, fill(route, id), {
    headers,
    ...(route.takesBody ? { body: exampleOf(route) } : {}),
  });

describe("every route except the public ones", () => {
  it("requires a key, and every public route has /public/ in its path", () => {
    const open = routes
      .filter((route) => route.public)
      .map(({ method, template }) => `${method} ${template}`);
    expect(open).to.include("GET /payment-intents/public/{intentId}");
    for (const route of open) expect(route).to.include("/public/");
  });

  it("returns 401 authentication_required without a key", async () => {
    for (const route of closed()) {
      const answers = await Promise.all(
        [
          {},
          { "X-API-Key": "" },
          { "X-API-Key": "  " },
          { Authorization: "Bearer" },
          { Authorization: "Digest x" },
        ].map((headers) => call(route, headers as Record<string, string>)),
      );
      for (const answer of answers) {
        expectError(answer, 401, "authentication_required");
        expect(answer.headers.get("www-authenticate")).to.be.a("string");
      }
    }
  });

  it("returns 403 forbidden for a malformed, unknown, revoked or live key", async () => {
    const keys = [
      "x",
      "sk_test_",
      "pk_test_0123456789abcdef",
      `${newKey("sk_test_")}!`,
      newKey("sk_test_"),
      revokedKey,
      liveKey,
    ];
    for (const route of closed()) {
      for (const key of keys) {
        expectError(await call(route, { "X-API-Key": key }), 403, "forbidden");
        expectError(await call(route, { Authorization: `Bearer ${key}` }), 403, "forbidden");
      }
    }
  });

  it("checks the key before the intent and the body", async () => {
    for (const route of closed()) {
      expectError(await call(route, {}, "intent_unknown"), 401, "authentication_required");
      expectError(await call(route, { "X-API-Key": "x" }, "intent_unknown"), 403, "forbidden");
    }
  });

  it("returns 403 to another merchant on every path that names an intent", async () => {
    const named = closed().filter(({ template }) => template.includes("{intentId}"));
    expect(named.length).to.be.at.least(4);
    const key = stack.merchants[1]?.apiKey ?? "";
    for (const route of named) expectError(await call(route, { "X-API-Key": key }), 403, "forbidden");
  });

  it("returns 404 with a valid key for an intent that does not exist", async () => {
    const key = stack.merchants[0]?.apiKey ?? "";
    for (const route of routes.filter(({ template }) => template.includes("{intentId}"))) {
      const answer = await call(route, { "X-API-Key": key }, `intent_${"0".repeat(64)}`);
      expectError(answer, 404, "resource_missing", "intentId");
    }
  });
});

describe("an API key", () => {
  const ask = (headers: Record<string, string>, query = "") =>
    new Client(stack.baseUrl).get(`/payment-intents/${intent.id}${query}`, headers);
  const key = () => stack.merchants[0]?.apiKey ?? "";
  const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

  it("gives access in X-API-Key, as a bearer token, and as the user name of HTTP basic authentication", async () => {
    for (const headers of [
      { "X-API-Key": key() },
      { "x-api-key": ` ${key()} ` },
      { Authorization: `Bearer ${key()}` },
      { Authorization: `bearer   ${key()}` },
      { Authorization: basic(`${key()}:`) },
      { Authorization: basic(key()) },
    ] as Record<string, string>[]) {
      expect((await ask(headers)).status, JSON.stringify(headers)).to.equal(200);
    }
  });

  it("must be the only one in a request: two different keys are rejected, even if one is valid (A10)", async () => {
    const other = stack.merchants[1]?.apiKey ?? "";
    for (const [own, authorization] of [
      [key(), `Bearer ${other}`],
      [other, `Bearer ${key()}`],
      [key(), basic(`${other}:`)],
      ["x", `Bearer ${key()}`],
    ] as const) {
      expectError(await ask({ "X-API-Key": own, Authorization: authorization }), 400, "invalid_request");
    }
    expect((await ask({ "X-API-Key": key(), Authorization: `Bearer ${key()}` })).status).to.equal(200);
  });

  it("also gives access if it is a hackathon key", async () => {
    expect((await ask({ "X-API-Key": hackathonKey })).status).to.equal(200);
  });

  it("is ignored in the URL and in cookies", async () => {
    for (const name of ["api_key", "apiKey", "key", "X-API-Key", "access_token"]) {
      expectError(await ask({}, `?${name}=${key()}`), 401, "authentication_required");
      expectError(await ask({ Cookie: `${name}=${key()}` }), 401, "authentication_required");
    }
  });

  it("is never echoed", async () => {
    const wrong = `${newKey("sk_test_")}`;
    for (const headers of [{ "X-API-Key": wrong }, { Authorization: `Bearer ${wrong}` }] as Record<
      string,
      string
    >[]) {
      expect(JSON.stringify((await ask(headers)).body)).not.to.include(wrong);
    }
  });

  it("is rejected cleanly if its header is malformed", async () => {
    for (const headers of [
      { Authorization: "Basic" },
      { Authorization: "Basic !!!" },
      { Authorization: basic(":password") },
      { Authorization: `Bearer ${"a".repeat(8_000)}` },
      { "X-API-Key": "a".repeat(8_000) },
      { "X-API-Key": "\u00ff\u00fe" },
      { "X-API-Key": "' or 1=1 --" },
      { "X-API-Key": "x", "X-Request-Id": "\u00e9<script>", "Content-Length-Hint": "-1" },
    ] as Record<string, string>[]) {
      expect((await ask(headers)).status, JSON.stringify(headers).slice(0, 100)).to.be.oneOf([401, 403]);
    }
  });

  it("creates intents only for its own merchant", async () => {
    const other = new Client(stack.baseUrl, stack.merchants[1]?.apiKey);
    const { body } = await other.post<Intent>("/payment-intents", GOOD);
    expect(body.data.merchantId).to.equal(stack.merchants[1]?.merchantId);
    expectError(await client.get(`/payment-intents/${body.id}`), 403, "forbidden");
  });
});

describe("the service's URLs", () => {
  it("are the same under /v1 and /api/v1", async () => {
    const short = new Client(`${originOf(stack)}/v1`, stack.merchants[0]?.apiKey);
    expect((await short.get(`/payment-intents/${intent.id}`)).body).to.deep.equal(
      (await client.get(`/payment-intents/${intent.id}`)).body,
    );
    for (const route of closed()) {
      expectError(
        await new Client(`${originOf(stack)}/v1`).send(route.method, fill(route, intent.id), { headers: {} }),
        401,
        "authentication_required",
      );
    }
  });

  it("return 404 in the spec's format if they do not exist, with and without a key", async () => {
    const root = new Client(originOf(stack));
    for (const path of [
      "/v1",
      "/v2/payment-intents",
      "/v1/payments",
      "/api",
      "/api/v1/x",
      "/v1/payment-intents/a/b/c/d",
    ]) {
      expectError(await root.get(path), 404, "resource_missing");
      expectError(await root.post(path, "{not json"), 404, "resource_missing");
    }
    // Only browsers request this path.
    expectError(await root.post("/", "{not json"), 404, "resource_missing");
  });

  it("return 404 for an unsupported method, and list the supported ones (A14)", async () => {
    for (const [method, path, allow] of [
      ["PUT", "/payment-intents", "GET, HEAD, POST"],
      ["DELETE", `/payment-intents/${intent.id}`, "GET, HEAD, PATCH"],
      ["POST", `/payment-intents/${intent.id}/`, "GET, HEAD, PATCH"],
      ["GET", `/payment-intents/${intent.id}/confirm`, "POST"],
      ["POST", `/payment-intents/${intent.id}/escrow`, "GET, HEAD"],
      ["GET", `/payment-intents/${intent.id}/escrow/delivery-proof`, "POST"],
    ] as const) {
      const answer = await client.send(method, path);
      expectError(answer, 404, "resource_missing");
      expect(answer.headers.get("allow"), `${method} ${path}`).to.equal(allow);
      expect(answer.body.error.message).to.include(allow);
    }
    expect((await client.get("/nothing")).headers.get("allow")).to.equal(null);
  });

  it("send headers that prevent caching and content sniffing (A11)", async () => {
    for (const path of ["/payment-intents", "/payment-intents/unknown", "/nothing"]) {
      for (const by of [client, new Client(stack.baseUrl)]) {
        const { headers } = await by.get(path);
        expect(headers.get("cache-control"), path).to.equal("no-store");
        expect(headers.get("x-content-type-options"), path).to.equal("nosniff");
        // This gateway is not behind TLS.
        expect(headers.get("strict-transport-security"), path).to.equal(null);
      }
    }
  });

  it("require TLS for a year if they are served over TLS (A11)", async () => {
    const secure = await startAnotherApi(
      { ...stack, stop: async () => undefined },
      { BASE_URL: "https://pay.example/v1" },
    );
    try {
      const { headers } = await fetch(`${originOf(secure)}/v1/balance`);
      expect(headers.get("strict-transport-security")).to.equal("max-age=31536000");
    } finally {
      await secure.stop();
    }
  });

  it("compress lists for callers that request compression (A17)", async () => {
    for (let i = 0; i < 3; i++) await create(client);
    const sizes = await Promise.all(
      ["identity", "gzip", "br"].map(async (coding) => {
        const response = await fetch(`${stack.baseUrl}/payment-intents?limit=4`, {
          headers: { "X-API-Key": client.apiKey ?? "", "Accept-Encoding": coding },
          decompress: false,
        } as RequestInit);
        expect(response.status).to.equal(200);
        expect(response.headers.get("content-encoding")).to.equal(coding === "identity" ? null : coding);
        expect(response.headers.get("vary")).to.equal("Accept-Encoding");
        return (await response.arrayBuffer()).byteLength;
      }),
    );
    const [plain = 0, ...packed] = sizes;
    for (const size of packed) expect(size).to.be.below(plain / 2);
  });

  it("return a request id, which is the caller's own if that is plain text", async () => {
    const id = (headers: Record<string, string>) =>
      client.get("/payment-intents/x", headers).then((answer) => answer.headers.get("x-request-id"));
    expect(await id({ "X-Request-Id": "mine-1" })).to.equal("mine-1");
    expect(await id({ "X-Request-Id": "not mine; 1" })).to.match(/^req_\w+$/);
    expect(await id({})).to.match(/^req_\w+$/);
  });
});
