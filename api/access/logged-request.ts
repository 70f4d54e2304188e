// A request as its merchant's request log has it: nothing in it may be a key.
import { inRequest } from "#core/log.ts";
import { canonicalPath } from "../canonical-path.ts";
import type { LoggedRequest } from "./request-log.ts";

type Requested = { request: Request; route: string; params: Record<string, string> };

/** An identifier as we make it (`intent_…`, `evt_…`): only such a value is shown of a path. */
const IDENTIFIER = /^[a-z]{2,20}_[\w-]{1,80}$/;

/** Anywhere in a text: what is not an identifier of ours may have a key in it. */
const SECRETS = /(sk_[a-z]+_|whsec_)[\w+/=-]+/gi;

const withoutSecrets = (text: string): string => text.replace(SECRETS, "$1…");

const isShown = (value: string): boolean => IDENTIFIER.test(value) && withoutSecrets(value) === value;

const shownPath = ({ route, params }: Requested): string => {
  const shown = Object.entries(params).map(([name, value]) => [name, isShown(value) ? value : "…"]);
  return decodeURIComponent(canonicalPath(route, Object.fromEntries(shown)));
};

/** Its path with the identifiers in it, and no query. */
export const toLogged = (requested: Requested, status: number, ms: number): LoggedRequest => ({
  method: requested.request.method,
  path: shownPath(requested),
  status,
  durationMs: Math.round(ms),
  requestId: withoutSecrets(inRequest.getStore()?.requestId ?? ""),
});
