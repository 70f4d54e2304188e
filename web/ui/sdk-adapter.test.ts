// Tests that the SDK's errors are converted to the pages' errors.
import { expect, test } from "bun:test";
import { ConnectionError, createApiError } from "#sdk/http/errors.ts";
import { Gateway } from "#sdk/index.ts";
import { Refusal, Unreachable } from "./api-errors.ts";
import { ownOrigin, toProblem } from "./sdk-adapter.ts";

const answer = (status: number, error: object) =>
  createApiError(new Response(null, { status, headers: { "Retry-After": "3" } }), JSON.stringify({ error }));
const REFUSED = {
  code: "invalid_request",
  message: "It is so.",
  type: "invalid_request_error",
  param: "amount",
};

test("a rejection keeps its message, parameter and retry delay", () => {
  const problem = toProblem(answer(429, REFUSED)) as Refusal;
  expect(problem).toBeInstanceOf(Refusal);
  const { code, message, param } = REFUSED;
  expect(problem).toMatchObject({ code, message, param, status: 429, retryAfterMs: 3_000 });
});

test("an unavailable gateway is Unreachable, with or without a response", () => {
  expect(toProblem(answer(503, REFUSED))).toMatchObject({ name: "Unreachable", retryAfterMs: 3_000 });
  expect(toProblem(new ConnectionError("away"))).toBeInstanceOf(Unreachable);
});

test("every request carries the page's headers and no key", async () => {
  const original = globalThis.fetch;
  const sent: RequestInit[] = [];
  globalThis.fetch = (async (_: string, init: RequestInit) => {
    sent.push(init);
    return Response.json({});
  }) as never;
  try {
    await new Gateway(ownOrigin({ "X-Dashboard-Mode": "live" })).balance.retrieve();
  } finally {
    globalThis.fetch = original;
  }
  expect(sent[0]).toMatchObject({ cache: "no-store", headers: { "X-Dashboard-Mode": "live" } });
  expect(new Headers(sent[0]?.headers).has("authorization")).toBe(false);
});
