import { describe, it } from "bun:test";
import { expect } from "chai";
import { pauseAfter, retryAfterMs } from "./backoff.ts";

describe("the delay after a failed webhook", () => {
  it("follows the schedule, plus or minus a fifth, and ends", () => {
    const schedule = [1_000, 60_000];
    expect(pauseAfter(1, schedule, 0)).to.equal(800);
    expect(pauseAfter(1, schedule, 0.5)).to.equal(1_000);
    expect(pauseAfter(1, schedule, 1)).to.equal(1_200);
    expect(pauseAfter(2, schedule, 0.5)).to.equal(60_000);
    expect(pauseAfter(3, schedule)).to.equal(undefined);
  });
});

describe("Retry-After", () => {
  it("is seconds or a date, and at most an hour", () => {
    const now = Date.parse("2026-01-01T00:00:00Z");
    expect(retryAfterMs("120", now)).to.equal(120_000);
    expect(retryAfterMs("Thu, 01 Jan 2026 00:00:30 GMT", now)).to.equal(30_000);
    expect(retryAfterMs("999999999", now)).to.equal(3_600_000);
  });

  it("is ignored if it is malformed", () => {
    for (const header of [null, "", "soon", "-5", "Thu, 01 Jan 1970 00:00:00 GMT"]) {
      expect(retryAfterMs(header), String(header)).to.equal(0);
    }
  });
});
