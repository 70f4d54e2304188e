// Common handling of all responses: errors in the spec's format, one log line and one metrics observation.
import type { ServiceError } from "#core/errors.ts";
import { describe, listLocations } from "#core/log.ts";
import { toLogged } from "../access/logged-request.ts";
import type { Services } from "../services.ts";
import { toResponse, toServiceError } from "./errors.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * An unavailable dependency is logged as a warning, because the code that waits for it also reports it. Any
 * other failure is a bug in the gateway.
 */
function report({ log }: Services, failure: ServiceError, route: string): void {
  const cause = failure.details.cause ?? failure;
  if (failure.status === 503) log.warn({ route, cause: describe(cause) }, failure.code);
  else log.error({ route, cause: describe(cause), at: listLocations(cause) }, failure.code);
}

export function answerFailure(services: Services, error: unknown, route: string): Response {
  const failure = toServiceError(error);
  if (failure.status >= 500) report(services, failure, route);
  return toResponse(failure);
}

type Answered = Pick<RequestContext, "request" | "route" | "startedAt" | "caller"> & Partial<RequestContext>;

/** Rate-limited requests are not written to the merchant's log, because they must not use up its limit. */
function recordForMerchant({ networks }: Services, context: Answered, status: number, ms: number): void {
  const { caller, request, route, params } = context;
  if (!caller || caller.isUser || !params || status === 429) return;
  networks.find(caller.mode)?.requestLog.note(caller, toLogged({ request, route, params }, status, ms));
}

/** Never logs the actual path, headers or bodies, which may contain keys and personal data. */
export function recordRequest(services: Services, context: Answered, status: number): void {
  const { config, log, metrics } = services;
  const { route, startedAt, caller } = context;
  const { method } = context.request;
  const ms = performance.now() - startedAt;
  metrics.answered(method, route, status, ms);
  recordForMerchant(services, context, status, ms);
  if (!config.logRequests) return;
  log.info(
    { method, route, status, ms: Math.round(ms * 10) / 10, merchant: caller?.merchantId, key: caller?.keyId },
    "request",
  );
}
