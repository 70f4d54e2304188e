// What a merchant's request log shows of a request: nothing that may be a key.
import type { Caller } from "#core/api-keys/api-keys.ts";
import { inRequest } from "#core/log.ts";
import { canonicalPath } from "../idempotency/answers.ts";
import type { Services } from "../services.ts";

type Requested = { caller?: Caller; params?: Record<string, string>; request: Request; route: string };

/** An identifier as we make it (`intent_…`, `evt_…`): only such a value is shown of a path. */
const IDENTIFIER = /^[a-z]{2,20}_[\w-]{1,80}$/;

/** Anywhere in a text: what is not an identifier of ours may have a key in it. */
const SECRETS = /(sk_[a-z]+_|whsec_)[\w+/=-]+/gi;

const withoutSecrets = (text: string): string => text.replace(SECRETS, "$1…");

const isShown = (value: string): boolean => IDENTIFIER.test(value) && withoutSecrets(value) === value;

const shownPath = ({ route, params }: { route: string; params: Record<string, string> }): string => {
  const shown = Object.entries(params).map(([name, value]) => [name, isShown(value) ? value : "…"]);
  return decodeURIComponent(canonicalPath({ route, params: Object.fromEntries(shown) }));
};

/**
 * Enters a request of a key into its merchant's own log, on the network of the key's mode: the path with the identifiers in it,
 * and no query. What was refused by a rate limit is not entered: the log's own limit is for requests that were served.
 */
export function recordForMerchant(
  { networks }: Services,
  { caller, params, request, route }: Requested,
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
