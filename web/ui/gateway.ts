// How the pages call the gateway's API, which has their own origin, by the SDK.
import { ApiError, ConnectionError } from "#sdk/errors.ts";
import type { GatewayOptions } from "#sdk/options.ts";
import { Refusal, Unreachable } from "./api.ts";

/** @param headers of every request */
export const ownOrigin = (headers: Record<string, string> = {}): GatewayOptions => ({
  baseUrl: "/v1",
  // Queries are sent again in their own time, and a user decides about the rest.
  maxRetries: 0,
  fetch: (url, init) => fetch(url, { ...init, cache: "no-store", headers: { ...init.headers, ...headers } }),
});

/** What the pages show instead of an error of the SDK: a Refusal or Unreachable. */
export function toProblem(error: unknown): unknown {
  if (error instanceof ApiError) {
    const retryAfterMs = (error.retryAfter ?? 0) * 1_000;
    return error.status >= 500
      ? new Unreachable("The gateway cannot answer right now.", {}, retryAfterMs)
      : new Refusal(error.status, error.code, error.message, error.param, retryAfterMs);
  }
  if (error instanceof ConnectionError)
    return new Unreachable("The gateway cannot be reached.", { cause: error });
  return error;
}
