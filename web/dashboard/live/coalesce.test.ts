// Tests how often a page refetches data while changes arrive.
import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { Coalesced } from "./coalesce.ts";

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test("a change after an idle period is reported immediately, with its names", () => {
  const handed: string[][] = [];
  const coalesced = new Coalesced((names) => handed.push([...names]));
  coalesced.add(["payment_intent", "intent_a"]);
  jest.advanceTimersByTime(60_000);
  coalesced.add(["api_key"]);
  jest.advanceTimersByTime(1);
  expect(handed).toEqual([["payment_intent", "intent_a"], ["api_key"]]);
});

test("frequent changes are reported less often, and none is lost", () => {
  let times = 0;
  const seen = new Set<string>();
  const coalesced = new Coalesced((names) => {
    times++;
    for (const name of names) seen.add(name);
  });
  for (let second = 0; second < 300; second++) {
    coalesced.add([`intent_${second}`]);
    jest.advanceTimersByTime(1_000);
  }
  jest.advanceTimersByTime(60_000);
  expect(seen.size).toBe(300);
  expect(times).toBeLessThan(70);
});
