// When a query is sent again: often while its answer changes, ever more rarely while it stays the same, and not before
// the time that the gateway names in Retry-After.
import { Refusal, Unreachable } from "../ui/api.ts";

const RETRY_MS = 5_000;
const SLOWEST_MS = 60_000;
/** After so many polls with the same answer the interval doubles, and again each time that as long has passed. */
const SAME_ANSWERS = 4;

type Query = { state: { data: unknown; error: Error | null } };

/** When an answer was first seen, in milliseconds: TanStack Query keeps the object while its content is the same. */
const firstSeen = new WeakMap<object, number>();

function backedOff(answer: object, fastestMs: number): number {
  const now = Date.now();
  const since = firstSeen.get(answer) ?? now;
  firstSeen.set(answer, since);
  const doublings = Math.floor(Math.log2((now - since) / (SAME_ANSWERS * fastestMs))) + 1;
  return Math.min(fastestMs * 2 ** Math.max(0, doublings), SLOWEST_MS);
}

/**
 * @param fastestMs the shortest interval; false for a query that is sent again only if it failed
 * @returns milliseconds; false for never
 */
export function nextPoll(query: Query, fastestMs: number | false = false): number | false {
  const { data, error } = query.state;
  const isTransient = error instanceof Unreachable || (error instanceof Refusal && error.tooOften);
  const isPolled = fastestMs !== false && data !== undefined;
  if (!isTransient && !isPolled) return false;
  const answer = typeof data === "object" && data !== null ? data : query;
  return Math.max(backedOff(answer, fastestMs || RETRY_MS), isTransient ? error.retryAfterMs : 0);
}
