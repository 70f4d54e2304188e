// How often a query is sent, by a clock that the test moves.
import { afterEach, beforeEach, expect, setSystemTime, test } from "bun:test";
import { Refusal, Unreachable } from "../ui/api.ts";
import { nextPoll } from "./next-poll.ts";

const START = Date.parse("2030-01-01T00:00:00Z");
const at = (seconds: number) => setSystemTime(new Date(START + seconds * 1_000));
const query = (data: unknown, error: Error | null = null) => ({ state: { data, error } });

const tooOften = (seconds: number) =>
  new Refusal(429, "rate_limit_exceeded", "Too many requests.", undefined, seconds * 1_000);

beforeEach(() => at(0));
afterEach(() => setSystemTime());

test("the longer an answer stays the same, the rarer the polls; a new answer begins again", () => {
  const same = {};
  const intervals = [0, 19, 20, 40, 80, 160, 3_600].map((seconds) => {
    at(seconds);
    return nextPoll(query(same), 5_000);
  });
  expect(intervals).toEqual([5_000, 5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  expect(nextPoll(query({}), 5_000)).toBe(5_000);
});

test("what has no interval is sent again only if it failed, and a refusal is final", () => {
  const unknown = new Refusal(404, "resource_missing", "There is none.", undefined);
  expect(nextPoll(query({}))).toBe(false);
  expect(nextPoll(query(undefined, new Unreachable("away")))).toBe(5_000);
  expect(nextPoll(query({}, new Unreachable("away")))).toBe(5_000);
  expect(nextPoll(query(undefined, unknown), 5_000)).toBe(false);
});

test("no poll comes before Retry-After is over", () => {
  expect(nextPoll(query({}, tooOften(30)), 5_000)).toBe(30_000);
  expect(nextPoll(query(undefined, tooOften(2)))).toBe(5_000);
});
