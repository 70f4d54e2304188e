// Determines which requests are retried, and after which delay.
import { ApiError, ConnectionError } from "./errors.ts";

const FIRST_MS = 500;
const LONGEST_MS = 8_000;
/** If Retry-After is longer, the call fails and the caller decides when to retry. */
const LONGEST_RETRY_AFTER_MS = 60_000;

const TRANSIENT = new Set([408, 429, 500, 502, 503, 504]);

/** Whether the same request may succeed later. */
export const isTransient = (error: unknown): boolean =>
  error instanceof ApiError ? TRANSIENT.has(error.status) : error instanceof ConnectionError;

/**
 * Returns the delay that the gateway requests, or else an exponential delay, reduced by up to half at random.
 * @param attempt number of retries so far
 * @returns milliseconds; undefined if the gateway requests a delay longer than LONGEST_RETRY_AFTER_MS
 */
export function retryDelay(attempt: number, error: unknown, random = Math.random): number | undefined {
  const retryAfter = error instanceof ApiError ? error.retryAfter : undefined;
  if (retryAfter !== undefined) {
    const ms = retryAfter * 1_000;
    return ms > LONGEST_RETRY_AFTER_MS ? undefined : ms;
  }
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt) * (1 - random() / 2);
}
