// Allows scripts of any origin to call the public routes, so that merchants can build their own checkout. Other
// routes require a key or a session and must not be called by scripts of other origins. No credentials are
// involved, because public routes use neither cookies nor keys, and browsers reject credentials for `*`.
// (@elysiajs/cors answers preflights for every path, and allows credentials by default.)

const PUBLIC = /^https?:\/\/[^/?#]+(?:\/api)?\/v1\/payment-intents\/public\//;

const ANSWER = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Idempotent-Replayed",
};

const PREFLIGHT = {
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "Content-Type, Idempotency-Key, X-Request-Id",
  // Two hours, the longest time for which browsers cache the response.
  "access-control-max-age": "7200",
};

/** @returns the response to a preflight request for a public route */
export function allowOrigins(
  { method, url, headers }: Request,
  set: { headers: Record<string, unknown> },
): Response | undefined {
  if (!PUBLIC.test(url)) return undefined;
  Object.assign(set.headers, ANSWER);
  if (method !== "OPTIONS" || !headers.has("access-control-request-method")) return undefined;
  return new Response(null, { status: 204, headers: PREFLIGHT });
}
