// When a query that failed is sent again: ever more rarely, and not before the time that the gateway names in Retry-After.
import { Refusal, Unreachable } from "../ui/api.ts";

const FIRST_MS = 5_000;
const SLOWEST_MS = 60_000;

type Query = { state: { error: Error | null } };

/** Since when a query fails, in milliseconds. */
const failingSince = new WeakMap<Query, number>();

/** @returns milliseconds; false for never: it answered, or was refused for good */
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
