// Request and response headers in the document.
import type { Json } from "./components.ts";

const integer = { type: "integer", minimum: 0 };

export const HEADERS: Record<string, Json> = {
  "X-Request-Id": {
    description: "The request's id, which is in the gateway's log as well: the caller's own, or a new one.",
    required: true,
    schema: { type: "string", pattern: "^[\\w.-]{1,100}$" },
  },
  "X-RateLimit-Limit": {
    description: "Requests allowed in the window that has the least left.",
    required: true,
    schema: integer,
  },
  "X-RateLimit-Remaining": {
    description:
      "Requests left in it. Replicas exchange their counts every 250 ms: this is the latest total of all, and what the answering one has counted since.",
    required: true,
    schema: integer,
  },
  "X-RateLimit-Reset": { description: "When it ends, in Unix seconds.", required: true, schema: integer },
  "Retry-After": { description: "Seconds until a retry makes sense.", required: true, schema: integer },
  "WWW-Authenticate": {
    description: "How to authenticate.",
    required: true,
    schema: { type: "string", const: 'Bearer realm="v1"' },
  },
  "Idempotent-Replayed": {
    description: "There, and `true`, when this is the stored answer to an earlier request with the same key.",
    schema: { type: "string", const: "true" },
  },
};

export const buildHeaders = (...more: string[]): Json =>
  Object.fromEntries(
    ["X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", ...more].map(
      (name) => [name, { $ref: `#/components/headers/${name}` }],
    ),
  );

/** Headers of every request. */
export const REQUEST_ID: Json = {
  name: "X-Request-Id",
  in: "header",
  description: "The caller's own id for this request; one that is not plain is replaced.",
  schema: { type: "string", pattern: "^[\\w.-]{1,100}$" },
  example: "order-1234-create",
};
