// Lets scripts of every origin call the public routes, so that a merchant can build a checkout of their own. No other
// route: with a key or a session it is not for browsers of strangers. Nothing is sent along by itself: a public route
// knows neither cookies nor keys, and a browser refuses credentials for `*`.
// (@elysiajs/cors answers preflights of every path, and allows credentials by default.)

const PUBLIC = /^https?:\/\/[^/?#]+(?:\/api)?\/v1\/payment-intents\/public\//;

const ANSWER = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Idempotent-Replayed",
};

const PREFLIGHT = {
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "Content-Type, Idempotency-Key, X-Request-Id",
  // Two hours: as long as browsers keep it at most.
  "access-control-max-age": "7200",
};

/** @returns the answer to a preflight of a public route */
export function allowOrigins(
  { method, url, headers }: Request,
  set: { headers: Record<string, unknown> },
): Response | undefined {
  if (!PUBLIC.test(url)) return undefined;
  Object.assign(set.headers, ANSWER);
  if (method !== "OPTIONS" || !headers.has("access-control-request-method")) return undefined;
  return new Response(null, { status: 204, headers: PREFLIGHT });
}
