// Who is calling: a key in X-API-Key, as a bearer token, or as the user name of HTTP basic (spec, "Authentication").
import type { Caller } from "#core/api-keys.ts";
import { authenticationRequired, forbidden } from "#core/errors.ts";

function keyOf(headers: Headers): string | undefined {
  const own = headers.get("x-api-key")?.trim();
  if (own) return own;
  const [scheme = "", credentials = ""] = headers.get("authorization")?.trim().split(/\s+/, 2) ?? [];
  if (/^bearer$/i.test(scheme)) return credentials || undefined;
  if (/^basic$/i.test(scheme)) {
    const [user] = Buffer.from(credentials, "base64").toString("utf8").split(":", 1);
    return user || undefined;
  }
  return undefined;
}

export type Authenticate = (request: Request) => Promise<Caller>;

/** @throws ServiceError 401 without a key, 403 with one that opens nothing */
export function authenticateWith(findCaller: (key: string) => Promise<Caller | undefined>): Authenticate {
  return async ({ headers }) => {
    const key = keyOf(headers);
    if (key === undefined) throw authenticationRequired();
    const caller = await findCaller(key);
    if (!caller) throw forbidden("This API key is not valid. Check it in the dashboard, or use another.");
    if (caller.mode === "live") {
      throw forbidden("No live network is configured on this gateway: use a test key (sk_test_…).");
    }
    return caller;
  };
}
