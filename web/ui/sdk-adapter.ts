// Calls the gateway's API on the page's own origin, through the SDK.
import { ApiError, ConnectionError } from "#sdk/http/errors.ts";
import type { GatewayOptions } from "#sdk/http/options.ts";
import { Refusal, Unreachable } from "./api-errors.ts";

/** @param headers sent with every request */
export const ownOrigin = (headers: Record<string, string> = {}): GatewayOptions => ({
  baseUrl: "/v1",
  // Queries are retried on their own schedule, and the user decides whether to repeat other requests.
  maxRetries: 0,
  fetch: (url, init) => fetch(url, { ...init, cache: "no-store", headers: { ...init.headers, ...headers } }),
});

/** Converts an SDK error to the pages' errors: Refusal or Unreachable. */
export function toProblem(error: unknown): unknown {
  if (error instanceof ApiError) {
    const retryAfterMs = (error.retryAfter ?? 0) * 1_000;
    return error.status >= 500
      ? new Unreachable("The gateway cannot respond right now.", {}, retryAfterMs)
      : new Refusal(error.status, error.code, error.message, error.param, retryAfterMs);
  }
  if (error instanceof ConnectionError)
    return new Unreachable("The gateway cannot be reached.", { cause: error });
  return error;
}
