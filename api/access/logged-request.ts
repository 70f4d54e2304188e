// A request as stored in its merchant's request log, which must never contain a key.
import { inRequest } from "#core/log.ts";
import { canonicalPath } from "../canonical-path.ts";
import type { LoggedRequest } from "./request-log.ts";

type Requested = { request: Request; route: string; params: Record<string, string> };

/** The gateway's identifiers (`intent_…`, `evt_…`), the only path parameters that are logged. */
const IDENTIFIER = /^[a-z]{2,20}_[\w-]{1,80}$/;

/** Matches secrets anywhere in a text. Any value that is not an identifier of the gateway might contain a key. */
const SECRETS = /(sk_[a-z]+_|whsec_)[\w+/=-]+/gi;

const withoutSecrets = (text: string): string => text.replace(SECRETS, "$1…");

const isShown = (value: string): boolean => IDENTIFIER.test(value) && withoutSecrets(value) === value;

const shownPath = ({ route, params }: Requested): string => {
  const shown = Object.entries(params).map(([name, value]) => [name, isShown(value) ? value : "…"]);
  return decodeURIComponent(canonicalPath(route, Object.fromEntries(shown)));
};

/** Returns the request as logged: the path with its identifiers, but without the query. */
export const toLogged = (requested: Requested, status: number, ms: number): LoggedRequest => ({
  method: requested.request.method,
  path: shownPath(requested),
  status,
  durationMs: Math.round(ms),
  requestId: withoutSecrets(inRequest.getStore()?.requestId ?? ""),
});
