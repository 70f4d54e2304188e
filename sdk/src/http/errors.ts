// The errors that the SDK throws. Each API error code has its own error class.

/**
 * The base class of every error thrown by this package. An aborted call throws the reason of its abort signal
 * instead.
 */
export class GatewayError extends Error {
  override readonly name: string = "GatewayError";
}

/**
 * No response was received because the network, DNS or TLS failed, or the response did not come from the
 * gateway.
 */
export class ConnectionError extends GatewayError {
  override readonly name: string = "ConnectionError";
}

/** No response was received, or a status was not reached, within the timeout. */
export class TimeoutError extends ConnectionError {
  override readonly name = "TimeoutError";
}

/**
 * The payment can no longer reach the status that `waitFor` waits for, or requires an action by the merchant to
 * reach it.
 */
export class UnexpectedStatusError extends GatewayError {
  override readonly name = "UnexpectedStatusError";

  constructor(
    /** The payment's status. */
    readonly status: string,
    message: string,
  ) {
    super(message);
  }
}

/** The signature, timestamp or headers of a webhook do not match what the gateway sends. */
export class WebhookVerificationError extends GatewayError {
  override readonly name = "WebhookVerificationError";
}

export type Fault = { code: string; message: string; param?: string };

/** The body of an error response. */
export type ErrorBody = Fault & {
  type: string;
  retryAfter?: number;
  errors?: Fault[];
  requestId?: string;
};

/** An error response. `message` explains the problem and how to solve it. */
export class ApiError extends GatewayError {
  override readonly name: string = "ApiError";
  /** Machine-readable code: `invalid_request`, `resource_missing`, … */
  readonly code: string;
  /** The kind of error: `invalid_request_error`, `authentication_error`, `rate_limit_error`, `api_error`. */
  readonly type: string;
  /** The offending parameter, if any. */
  readonly param: string | undefined;
  /** Every validation error of the request body, if there are several. */
  readonly errors: readonly Fault[];
  /** Identifies the request in the gateway's log. */
  readonly requestId: string | undefined;
  /** Seconds to wait before retrying. */
  readonly retryAfter: number | undefined;

  constructor(
    readonly status: number,
    body: ErrorBody,
    readonly headers: Headers,
  ) {
    super(body.message);
    this.code = body.code;
    this.type = body.type;
    this.param = body.param;
    this.errors = body.errors ?? [];
    this.requestId = body.requestId ?? headers.get("x-request-id") ?? undefined;
    this.retryAfter = readRetryAfter(headers) ?? body.retryAfter;
  }
}

/** 401: the request contains no API key. */
export class AuthenticationRequiredError extends ApiError {
  override readonly name = "AuthenticationRequiredError";
}
/** 403: the key is invalid or lacks the permission, or the resource belongs to another merchant. */
export class ForbiddenError extends ApiError {
  override readonly name = "ForbiddenError";
}
/** 404: the resource does not exist. */
export class ResourceMissingError extends ApiError {
  override readonly name = "ResourceMissingError";
}
/** 400: `param` names the invalid parameter, `errors` lists every validation error. */
export class InvalidRequestError extends ApiError {
  override readonly name = "InvalidRequestError";
}
/** 400: the order's status does not allow the operation. */
export class InvalidStatusError extends ApiError {
  override readonly name = "InvalidStatusError";
}
/** 400: the payment intent's status does not allow the operation. */
export class InvalidStateTransitionError extends ApiError {
  override readonly name = "InvalidStateTransitionError";
}
/** 400: the signature is not the payer's signature of the typed data. */
export class SignatureVerificationFailedError extends ApiError {
  override readonly name = "SignatureVerificationFailedError";
}
/** 429: retry after `retryAfter` seconds. */
export class RateLimitExceededError extends ApiError {
  override readonly name = "RateLimitExceededError";
}
/** 500: the gateway failed; a retry with the same Idempotency-Key is safe. */
export class InternalError extends ApiError {
  override readonly name = "InternalError";
}
/** 503: a dependency of the gateway is unavailable; a retry with the same Idempotency-Key is safe. */
export class ServiceUnavailableError extends ApiError {
  override readonly name = "ServiceUnavailableError";
}

/** The error class of each API error code. */
export const ERROR_CLASSES = {
  authentication_required: AuthenticationRequiredError,
  forbidden: ForbiddenError,
  resource_missing: ResourceMissingError,
  invalid_request: InvalidRequestError,
  invalid_request_error: InvalidRequestError,
  invalid_status: InvalidStatusError,
  invalid_state_transition: InvalidStateTransitionError,
  signature_verification_failed: SignatureVerificationFailedError,
  rate_limit_exceeded: RateLimitExceededError,
  internal_error: InternalError,
  service_unavailable: ServiceUnavailableError,
} as const;

/** Fallback error code for each HTTP status, for responses without an error body, such as those of a proxy. */
const CODES: Record<number, keyof typeof ERROR_CLASSES> = {
  401: "authentication_required",
  403: "forbidden",
  404: "resource_missing",
  429: "rate_limit_exceeded",
  500: "internal_error",
  502: "service_unavailable",
  503: "service_unavailable",
  504: "service_unavailable",
};

/** @param text the response body */
export function createApiError({ status, headers }: Response, text: string): ApiError {
  const body = readErrorBody(text) ?? {
    code: CODES[status] ?? "unknown",
    message: `The gateway answered ${status}.`,
    type: "api_error",
  };
  const ErrorClass = (ERROR_CLASSES as Record<string, typeof ApiError>)[body.code] ?? ApiError;
  return new ErrorClass(status, body, headers);
}

function readErrorBody(text: string): ErrorBody | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: ErrorBody };
    return typeof error?.code === "string" ? error : undefined;
  } catch {
    return undefined;
  }
}

/** Parses Retry-After, which is a number of seconds or a date. @returns seconds */
function readRetryAfter(headers: Headers): number | undefined {
  const text = headers.get("retry-after");
  if (text === null) return undefined;
  const seconds = Number(text);
  if (!Number.isNaN(seconds)) return Math.max(0, seconds);
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : Math.max(0, (time - Date.now()) / 1_000);
}
