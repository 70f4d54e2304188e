// Tests the delay before a retry.
import { describe, it } from "bun:test";
import { expect } from "chai";
import { ConnectionError, createApiError } from "./errors.ts";
import { retryDelay } from "./retry.ts";

const answer = (retryAfter: string) =>
  createApiError(new Response(null, { status: 503, headers: { "Retry-After": retryAfter } }), "");

describe("the delay before a retry", () => {
  it("doubles up to eight seconds, reduced by up to half at random", () => {
    const error = new ConnectionError("away");
    expect([0, 1, 2, 3, 4, 5, 9].map((attempt) => retryDelay(attempt, error, () => 0))).to.deep.equal([
      500, 1000, 2000, 4000, 8000, 8000, 8000,
    ]);
    expect(retryDelay(1, error, () => 1)).to.equal(500);
  });

  it("follows Retry-After, in seconds or as a date, up to a minute", () => {
    expect(retryDelay(0, answer("7"))).to.equal(7_000);
    const inTenSeconds = new Date(Date.now() + 10_000).toUTCString();
    expect(retryDelay(0, answer(inTenSeconds))).to.be.within(8_500, 10_000);
    expect(retryDelay(0, answer("0"))).to.equal(0);
    expect(retryDelay(0, answer("61"))).to.equal(undefined);
  });
});
