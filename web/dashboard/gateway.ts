// The API as the signed-in user's browser calls it: by the SDK, with the session's cookie instead of a key.
import { ApiError, ConnectionError, Gateway } from "#sdk/index.ts";
import { Refusal, Unreachable } from "../ui/api.ts";

/** @param mode in a header that no other site can send */
export const createGateway = (mode: "test" | "live"): Gateway =>
  new Gateway({
    baseUrl: "/v1",
    // Queries are sent again in their own time, and a user decides about the rest.
    maxRetries: 0,
    fetch: (url, init) =>
      fetch(url, { ...init, cache: "no-store", headers: { ...init.headers, "X-Dashboard-Mode": mode } }),
  });

/** What the pages show instead of an error of the SDK. */
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
