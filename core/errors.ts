// The errors that a caller can receive (spec, "Errors"). They are a small set, created here and mapped to HTTP in one
// place.

export type ErrorType = "invalid_request_error" | "authentication_error" | "rate_limit_error" | "api_error";

export type ErrorCode =
  | "authentication_required"
  | "forbidden"
  | "resource_missing"
  | "invalid_request"
  | "invalid_request_error"
  | "invalid_status"
  | "invalid_state_transition"
  | "signature_verification_failed"
  | "rate_limit_exceeded"
  | "internal_error"
  | "service_unavailable";

/** An error response. `message` is written for people and explains what to do. It never contains secrets. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";

  constructor(
    readonly status: 400 | 401 | 403 | 404 | 429 | 500 | 503,
    readonly code: ErrorCode,
    readonly type: ErrorType,
    message: string,
    readonly details: {
      param?: string;
      retryAfter?: number;
      cause?: unknown;
      /** The methods that the path supports. */
      allow?: readonly string[];
      /** All validation errors of the request, if there are several; this error is the first of them. */
      errors?: readonly ServiceError[];
    } = {},
  ) {
    super(message, { cause: details.cause });
  }

  /**
   * Builds the response body (spec, "Errors").
   * @param requestId the response's X-Request-Id
   */
  toBody(requestId: string) {
    const { param, retryAfter, errors } = this.details;
    return {
      error: {
        code: this.code,
        message: this.message,
        type: this.type,
        ...(param === undefined ? {} : { param }),
        ...(retryAfter === undefined ? {} : { retryAfter }),
        ...(errors === undefined ? {} : { errors: errors.map((error) => error.#toFault()) }),
        requestId,
      },
    };
  }

  #toFault() {
    const { param } = this.details;
    return { code: this.code, message: this.message, ...(param === undefined ? {} : { param }) };
  }
}

/**
 * Returns the first validation error of a request, with all of the errors attached.
 * @param errors at least one
 */
export function severalFaults(errors: readonly ServiceError[]): ServiceError {
  const [first] = errors;
  if (!first) throw new Error("severalFaults() requires at least one error.");
  if (errors.length === 1) return first;
  return new ServiceError(first.status, first.code, first.type, first.message, { ...first.details, errors });
}

const invalid = (code: ErrorCode) => (message: string, param?: string) =>
  new ServiceError(400, code, "invalid_request_error", message, param === undefined ? {} : { param });

export const invalidRequest = invalid("invalid_request");
/** Creates the error for a non-positive amount or an unknown payment type, for which the spec has a separate code. */
export const invalidRequestError = invalid("invalid_request_error");
export const invalidStatus = invalid("invalid_status");
export const invalidStateTransition = invalid("invalid_state_transition");
export const signatureVerificationFailed = invalid("signature_verification_failed");

export const authenticationRequired = () =>
  new ServiceError(
    401,
    "authentication_required",
    "authentication_error",
    "An API key is required. Send it as 'X-API-Key: <key>' or 'Authorization: Bearer <key>'.",
  );

/** @param message why a dashboard session is invalid */
export const signInRequired = (message: string) =>
  new ServiceError(401, "authentication_required", "authentication_error", message);

export const forbidden = (message: string) =>
  new ServiceError(403, "forbidden", "authentication_error", message);

/** @param retryAfter seconds until a request is accepted again */
export const rateLimitExceeded = (message: string, retryAfter: number) =>
  new ServiceError(429, "rate_limit_exceeded", "rate_limit_error", message, { retryAfter });

export const resourceMissing = (message: string, param?: string) =>
  new ServiceError(
    404,
    "resource_missing",
    "invalid_request_error",
    message,
    param === undefined ? {} : { param },
  );

/** @param id the id as sent by the caller, of any length */
export const noSuch = (name: string, id: string, param: string) =>
  resourceMissing(`No such ${name}: '${id.slice(0, 100)}'.`, param);

/** @param methods the methods of the path; none if the path does not exist */
export function unknownRoute(method: string, path: string, methods: readonly string[] = []): ServiceError {
  const [message, details] =
    methods.length === 0
      ? [`No such endpoint: ${method} ${path}. See /docs for all endpoints.`, {}]
      : [`${path} does not support ${method}. Supported methods: ${methods.join(", ")}.`, { allow: methods }];
  return new ServiceError(404, "resource_missing", "invalid_request_error", message, details);
}

export const internalError = (cause: unknown) =>
  new ServiceError(500, "internal_error", "api_error", "An internal error occurred. Try again.", {
    cause,
  });

/**
 * Creates the error for an unavailable dependency (database, chain or indexer). Nothing was lost, and a retry is safe.
 */
export const serviceUnavailable = (what: string, cause?: unknown) =>
  new ServiceError(
    503,
    "service_unavailable",
    "api_error",
    `${what} Nothing was lost. Try again in a moment.`,
    { retryAfter: 2, cause },
  );
