// Determines when a failed query is retried: with backoff, and not before the gateway's Retry-After has passed.
import { Refusal, Unreachable } from "../ui/api-errors.ts";

const FIRST_MS = 5_000;
const SLOWEST_MS = 60_000;

type Query = { state: { error: Error | null } };

/** When a query began to fail, in milliseconds since the epoch. */
const failingSince = new WeakMap<Query, number>();

/** @returns milliseconds; false to stop retrying, because the query succeeded or was rejected permanently */
export function nextRetry(query: Query): number | false {
  const { error } = query.state;
  const isTransient = error instanceof Unreachable || (error instanceof Refusal && error.tooOften);
  if (!isTransient) {
    failingSince.delete(query);
    return false;
  }
  const now = Date.now();
  const since = failingSince.get(query) ?? now;
  failingSince.set(query, since);
  const backedOff = Math.min(Math.max(now - since, FIRST_MS), SLOWEST_MS);
  return Math.max(backedOff, error.retryAfterMs);
}
