// What every answer has in common: errors in the spec's shape, one line in the log, one observation in the metrics.
import type { ServiceError } from "#core/errors.ts";
import { describe, inRequest, listLocations } from "#core/log.ts";
import { canonicalPath } from "../idempotency/answers.ts";
import type { Services } from "../services.ts";
import { toResponse, toServiceError } from "./errors.ts";
import type { RequestContext } from "./request-context.ts";

/** A part that is away is a warning, reported by the part that waits for it; anything else is our mistake. */
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

/** Enters a request of a key into its merchant's own log: the path with what the route's parameters name, and no query. */
function recordForMerchant(
  { caller, network, params, request, route }: Answered,
  status: number,
  ms: number,
) {
  if (!caller || caller.isUser || !network || !params) return;
  network.requestLog.note(caller, {
    method: request.method,
    path: canonicalPath({ route, params }).slice(0, 300),
    status,
    durationMs: Math.round(ms),
    requestId: inRequest.getStore()?.requestId ?? "",
  });
}

/** Never the path as it was called, nor a header or a body: they may carry keys and people's data. */
export function recordRequest({ config, log, metrics }: Services, context: Answered, status: number): void {
  const { route, startedAt, caller } = context;
  const { method } = context.request;
  const ms = performance.now() - startedAt;
  metrics.answered(method, route, status, ms);
  recordForMerchant(context, status, ms);
  if (!config.logRequests) return;
  log.info(
    { method, route, status, ms: Math.round(ms * 10) / 10, merchant: caller?.merchantId, key: caller?.keyId },
    "request",
  );
}
