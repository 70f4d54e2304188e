// Request and response headers in the document.
import type { Json } from "./components.ts";

const integer = { type: "integer", minimum: 0 };

export const HEADERS: Record<string, Json> = {
  "X-Request-Id": {
    description:
      "The request's id, which also appears in the gateway's log: the caller's id, or a generated one.",
    required: true,
    schema: { type: "string", pattern: "^[\\w.-]{1,100}$" },
  },
  "X-RateLimit-Limit": {
    description: "Requests allowed in the rate limit window with the fewest remaining requests.",
    required: true,
    schema: integer,
  },
  "X-RateLimit-Remaining": {
    description:
      "Requests remaining in that window. Replicas exchange their counts every 250 ms: this is based on the latest " +
      "total of all replicas and the requests that the responding replica has counted since.",
    required: true,
    schema: integer,
  },
  "X-RateLimit-Reset": {
    description: "When that window ends, in Unix seconds.",
    required: true,
    schema: integer,
  },
  "Retry-After": { description: "Seconds to wait before retrying.", required: true, schema: integer },
  "WWW-Authenticate": {
    description: "How to authenticate.",
    required: true,
    schema: { type: "string", const: 'Bearer realm="v1"' },
  },
  "Idempotent-Replayed": {
    description: "Present and `true` if this is the stored response to an earlier request with the same key.",
    schema: { type: "string", const: "true" },
  },
};

export const buildHeaders = (...more: string[]): Json =>
  Object.fromEntries(
    ["X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", ...more].map(
      (name) => [name, { $ref: `#/components/headers/${name}` }],
    ),
  );

/** The header that every request can contain. */
export const REQUEST_ID: Json = {
  name: "X-Request-Id",
  in: "header",
  description:
    "The caller's id for this request. An id with other characters or of another length is replaced.",
  schema: { type: "string", pattern: "^[\\w.-]{1,100}$" },
  example: "order-1234-create",
};
