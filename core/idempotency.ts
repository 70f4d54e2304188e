/** How long a retry with the same Idempotency-Key gets the first request's answer (spec, "Limits"). */
export const IDEMPOTENCY_KEPT_MS = 24 * 3_600_000;
