// A request's Host header must be valid, and has no other effect.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { sendRaw } from "../support/raw-http.ts";
import { type SharedStack, sharedStack } from "../support/shared-stack.ts";

let stack: SharedStack;
let origins: { api: string; settlement: string; webhooks: string };

beforeAll(async () => {
  stack = await sharedStack();
  const { PORT, SETTLEMENT_PORT, WEBHOOK_PORT } = stack.environment;
  const originOf = (port: string | undefined) => `http://127.0.0.1:${port}`;
  origins = { api: originOf(PORT), settlement: originOf(SETTLEMENT_PORT), webhooks: originOf(WEBHOOK_PORT) };
});
afterAll(() => stack?.stop());

const get = (target: string, headers: string, origin = origins.api) =>
  sendRaw(origin, `GET ${target} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);

/** One target of each kind: fixed path, path parameter, wildcard, the OpenAPI document, unknown path. */
const TARGETS = [
  "/ready",
  "/v1/payment-intents/public/intent_1",
  "/v1/payment-intents?limit=1",
  "/dashboard/payments",
  "/docs/json",
  "/v1/nowhere",
];

describe("an invalid Host header is rejected with 400 on every route:", () => {
  it.each([
    "localhost:99999",
    "localhost:port",
    "",
    "[]",
    "[::1",
    "999.999.999.999",
    "x/../../",
    "/v1/nowhere",
    "a?b#c",
    "a#c",
    "user:password@localhost",
    "a b",
    "a\\b",
    "%zz",
    "é.example",
  ])("%j", async (host) => {
    for (const target of TARGETS) {
      const { status, body } = await get(target, `Host: ${host}\r\n`);
      expect(status, `${target}: ${body}`).to.equal(400);
      const { error } = JSON.parse(body) as { error: { code: string; message: string } };
      expect(error.code).to.equal("invalid_request");
      expect(error.message).to.include("Host");
    }
  });

  it("two Host headers", async () => {
    const { status, body } = await get("/ready", "Host: a.example\r\nHost: b.example\r\n");
    expect(status, body).to.equal(400);
  });

  it("no Host header", async () => {
    expect((await get("/ready", "")).status).to.equal(400);
    const { status, body } = await sendRaw(origins.api, "GET /v1/nowhere HTTP/1.0\r\n\r\n");
    expect(status, body).to.equal(400);
  });
});

describe("the route is the same", () => {
  it.each([
    "a",
    "b:1",
    "[::1]",
    "localhost",
    "127.0.0.1:3000",
    "pay.example",
    `${"long.".repeat(40)}example`,
  ])("for Host: %s", async (host) => {
    const expected = [
      "ready",
      "resource_missing",
      "authentication_required",
      "<!doctype html>",
      "openapi",
      "GET /v1/nowhere",
    ];
    for (const [index, target] of TARGETS.entries()) {
      const { status, body } = await get(target, `Host: ${host}\r\n`);
      expect(body.toLowerCase(), `${target}: ${status}`).to.include(expected[index]?.toLowerCase());
    }
  });

  it("for a target in absolute form, with any authority", async () => {
    for (const authority of ["a", "b.example:99999", "[]"]) {
      const { status, body } = await get(`http://${authority}/v1/nowhere`, "Host: localhost\r\n");
      expect(status).to.equal(404);
      expect(body).to.include("No such endpoint: GET /v1/nowhere.");
    }
  });

  it("for a load balancer's HTTP/1.0 check without a Host", async () => {
    for (const path of ["/health", "/ready", "/metrics"]) {
      const { status, body } = await sendRaw(origins.api, `GET ${path} HTTP/1.0\r\n\r\n`);
      expect(status, body).to.equal(200);
    }
  });

  it("on the settlement role's ports", async () => {
    for (const host of ["a", "localhost:99999", "x/../../", "[]"]) {
      const health = await get("/health", `Host: ${host}\r\n`, origins.settlement);
      expect(health.status, health.body).to.equal(200);
      const webhook = await get("/webhooks/off-ramp", `Host: ${host}\r\n`, origins.webhooks);
      expect(webhook.status, webhook.body).to.equal(405);
    }
  });
});
