/** How long a retry with the same Idempotency-Key receives the first request's response (spec, "Limits"). */
export const IDEMPOTENCY_KEPT_MS = 24 * 3_600_000;
