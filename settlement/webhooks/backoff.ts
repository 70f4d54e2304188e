// Computes when a failed webhook is retried.

const JITTER = 0.2;
/** Maximum delay that an endpoint may request. */
const LONGEST_RETRY_AFTER_MS = 3_600_000;

/**
 * Returns the delay after the nth failed attempt, plus or minus a fifth, so that simultaneous failures are not retried
 * simultaneously.
 * @returns undefined after the last attempt
 */
export function pauseAfter(attempts: number, schedule: number[], random = Math.random()): number | undefined {
  const pause = schedule[attempts - 1];
  return pause === undefined ? undefined : Math.round(pause * (1 - JITTER + 2 * JITTER * random));
}

/**
 * Returns the delay that a Retry-After header requests, in milliseconds (RFC 9110, section 10.2.3: seconds or a date),
 * within bounds.
 */
export function retryAfterMs(header: string | null, now = Date.now()): number {
  if (header === null) return 0;
  const text = header.trim();
  const asked = /^\d{1,10}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isNaN(asked) ? 0 : Math.min(Math.max(asked, 0), LONGEST_RETRY_AFTER_MS);
}
