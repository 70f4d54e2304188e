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

/** An identifier as we make it (`intent_…`, `evt_…`): only such a value is shown of a path. */
const IDENTIFIER = /^[a-z]{2,20}_[\w-]{1,80}$/;

/** Anywhere in a text: what is not an identifier of ours may have a key in it. */
const SECRETS = /(sk_[a-z]+_|whsec_)[\w+/=-]+/gi;

const withoutSecrets = (text: string): string => text.replace(SECRETS, "$1…");

const isShown = (value: string): boolean => IDENTIFIER.test(value) && withoutSecrets(value) === value;

const shownPath = ({ route, params }: { route: string; params: RequestContext["params"] }): string => {
  const shown = Object.entries(params).map(([name, value]) => [name, isShown(value) ? value : "…"]);
  return decodeURIComponent(canonicalPath({ route, params: Object.fromEntries(shown) }));
};

/**
 * Enters a request of a key into its merchant's own log, on the network of the key's mode: the path with the identifiers in it,
 * and no query. What was refused by a rate limit is not entered: the log's own limit is for requests that were served.
 */
function recordForMerchant(
  { networks }: Services,
  { caller, params, request, route }: Answered,
  status: number,
  ms: number,
) {
  if (!caller || caller.isUser || !params || status === 429) return;
  networks.find(caller.mode)?.requestLog.note(caller, {
    method: request.method,
    path: shownPath({ route, params }),
    status,
    durationMs: Math.round(ms),
    requestId: withoutSecrets(inRequest.getStore()?.requestId ?? ""),
  });
}

/** Never the path as it was called, nor a header or a body: they may carry keys and people's data. */
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
