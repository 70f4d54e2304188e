// Which requests are retried, and after what delay.
import { ApiError, ConnectionError } from "./errors.ts";

const FIRST_MS = 500;
const LONGEST_MS = 8_000;
/** A longer Retry-After is left to the caller. */
const LONGEST_RETRY_AFTER_MS = 60_000;

const TRANSIENT = new Set([408, 429, 500, 502, 503, 504]);

/** Whether the same request may succeed later. */
export const isTransient = (error: unknown): boolean =>
  error instanceof ApiError ? TRANSIENT.has(error.status) : error instanceof ConnectionError;

/**
 * Exponential, with jitter of up to half; never shorter than the delay that the gateway requests.
 * @param attempt number of retries so far
 * @returns milliseconds; undefined if the gateway asks for a longer delay than a call should take
 */
export function retryDelay(attempt: number, error: unknown, random = Math.random): number | undefined {
  const retryAfter = error instanceof ApiError ? error.retryAfter : undefined;
  if (retryAfter !== undefined) {
    const ms = retryAfter * 1_000;
    return ms > LONGEST_RETRY_AFTER_MS ? undefined : ms;
  }
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt) * (1 - random() / 2);
}
