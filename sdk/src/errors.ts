// What the SDK throws. An answer of the gateway that is not a success becomes the class of its code.

/** The base of every error that this package makes. An abort throws the reason of its signal instead. */
export class GatewayError extends Error {
  override readonly name: string = "GatewayError";
}

/** No answer came: the network, DNS or TLS failed, or the answer is not the gateway's. */
export class ConnectionError extends GatewayError {
  override readonly name: string = "ConnectionError";
}

/** No answer came, or a status was not reached, within the timeout. */
export class TimeoutError extends ConnectionError {
  override readonly name = "TimeoutError";
}

/** The payment can no longer reach the status that `waitFor` waits for, or not without the merchant. */
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

/** A webhook's signature, timestamp or headers are not what the gateway sends. */
export class WebhookVerificationError extends GatewayError {
  override readonly name = "WebhookVerificationError";
}

export type Fault = { code: string; message: string; param?: string };

/** The body of an answer that is not a success. */
export type ErrorBody = Fault & {
  type: string;
  retryAfter?: number;
  errors?: Fault[];
  requestId?: string;
};

/** An answer that is not a success. `message` says what is wrong and what to do. */
export class ApiError extends GatewayError {
  override readonly name: string = "ApiError";
  /** For programs: `invalid_request`, `resource_missing`, … */
  readonly code: string;
  /** The kind of error: `invalid_request_error`, `authentication_error`, `rate_limit_error`, `api_error`. */
  readonly type: string;
  /** The offending parameter, where there is one. */
  readonly param: string | undefined;
  /** Every fault of the request's body, where there are several. */
  readonly errors: readonly Fault[];
  /** Names the request in the gateway's log. */
  readonly requestId: string | undefined;
  /** Seconds until a retry makes sense. */
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

/** 401: the request carries no API key. */
export class AuthenticationRequiredError extends ApiError {
  override readonly name = "AuthenticationRequiredError";
}
/** 403: the key is not valid, may not do this, or the resource belongs to another merchant. */
export class ForbiddenError extends ApiError {
  override readonly name = "ForbiddenError";
}
/** 404: there is no such resource. */
export class ResourceMissingError extends ApiError {
  override readonly name = "ResourceMissingError";
}
/** 400: `param` names the parameter, `errors` every fault. */
export class InvalidRequestError extends ApiError {
  override readonly name = "InvalidRequestError";
}
/** 400: the order's status does not allow this. */
export class InvalidStatusError extends ApiError {
  override readonly name = "InvalidStatusError";
}
/** 400: the payment intent's status does not allow this. */
export class InvalidStateTransitionError extends ApiError {
  override readonly name = "InvalidStateTransitionError";
}
/** 400: the signature is not the payer's over the typed data. */
export class SignatureVerificationFailedError extends ApiError {
  override readonly name = "SignatureVerificationFailedError";
}
/** 429: `retryAfter` seconds until the next request is taken. */
export class RateLimitExceededError extends ApiError {
  override readonly name = "RateLimitExceededError";
}
/** 500: the gateway failed; a retry with the same Idempotency-Key is safe. */
export class InternalError extends ApiError {
  override readonly name = "InternalError";
}
/** 503: a part that the gateway depends on is away; a retry with the same Idempotency-Key is safe. */
export class ServiceUnavailableError extends ApiError {
  override readonly name = "ServiceUnavailableError";
}

/** The class of each code that the API has. */
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

/** What a status means where the body does not say: the answer of a proxy. */
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

/** @param text the answer's body */
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

/** Seconds; the header is a number of seconds or a date. */
function readRetryAfter(headers: Headers): number | undefined {
  const text = headers.get("retry-after");
  if (text === null) return undefined;
  const seconds = Number(text);
  if (!Number.isNaN(seconds)) return Math.max(0, seconds);
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : Math.max(0, (time - Date.now()) / 1_000);
}
