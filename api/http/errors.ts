// Maps all errors to the error responses of the spec. No other module creates error responses. The body's shape is in
// ServiceError.toBody (core/errors.ts).
import { ParseError, ValidationError } from "elysia";
import { isUnreachable } from "#core/chain/client.ts";
import { isDatabaseUnavailable, isIndexerMissing } from "#core/db/errors.ts";
import { internalError, ServiceError, serviceUnavailable } from "#core/errors.ts";
import { inRequest } from "#core/log.ts";
import { toRefusal } from "./validation.ts";

export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isDatabaseUnavailable(error)) return serviceUnavailable("The database cannot be reached.", error);
  if (isIndexerMissing(error)) return serviceUnavailable("The indexer has not started yet.", error);
  if (isUnreachable(error)) return serviceUnavailable("The blockchain cannot be reached.", error);
  return internalError(error);
}

/** Maps the router's errors to client errors or internal errors. */
export function refusalFor(error: unknown): ServiceError {
  // Elysia wraps an error that a parse hook throws in a ParseError.
  if (error instanceof ParseError) return toServiceError(error.cause);
  if (error instanceof ValidationError && error.type !== "response") return toRefusal(error);
  return toServiceError(error);
}

export function toResponse(error: ServiceError): Response {
  const { retryAfter, allow } = error.details;
  return Response.json(error.toBody(inRequest.getStore()?.requestId ?? "none"), {
    status: error.status,
    headers: {
      ...(retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) }),
      ...(allow === undefined ? {} : { Allow: allow.join(", ") }),
      ...(error.status === 401 ? { "WWW-Authenticate": 'Bearer realm="v1"' } : {}),
    },
  });
}
