// Tests when a failed query is retried, with a clock that the test advances.
import { afterEach, beforeEach, expect, setSystemTime, test } from "bun:test";
import { Refusal, Unreachable } from "../ui/api-errors.ts";
import { nextRetry } from "./next-retry.ts";

const START = Date.parse("2030-01-01T00:00:00Z");
const at = (seconds: number) => setSystemTime(new Date(START + seconds * 1_000));
const query = (error: Error | null = null) => ({ state: { error } });

const tooOften = (seconds: number) =>
  new Refusal(429, "rate_limit_exceeded", "Too many requests.", undefined, seconds * 1_000);

beforeEach(() => at(0));
afterEach(() => setSystemTime());

test("retries back off while the gateway is unreachable, and reset after a response", () => {
  const failing = query(new Unreachable("away"));
  const intervals = [0, 5, 10, 20, 40, 80, 3_600].map((seconds) => {
    at(seconds);
    return nextRetry(failing);
  });
  expect(intervals).toEqual([5_000, 5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  failing.state.error = null;
  expect(nextRetry(failing)).toBe(false);
  failing.state.error = new Unreachable("away");
  expect(nextRetry(failing)).toBe(5_000);
});

test("a successful query is not retried, and a rejection is final", () => {
  expect(nextRetry(query())).toBe(false);
  expect(nextRetry(query(new Refusal(404, "resource_missing", "There is none.", undefined)))).toBe(false);
});

test("no retry comes before Retry-After has passed", () => {
  expect(nextRetry(query(tooOften(30)))).toBe(30_000);
  expect(nextRetry(query(tooOften(2)))).toBe(5_000);
});
