// Authenticates requests of the dashboard. They must come from the dashboard's own origin, with a session cookie
// and the header X-Dashboard-Mode, which forms and other sites cannot send. The caller is the user's merchant in
// the selected mode.
import { eq } from "drizzle-orm";
import type { Caller } from "#core/api-keys/api-keys.ts";
import type { Database } from "#core/db/client.ts";
import { merchant } from "#core/db/schema/merchants.ts";
import type { Role } from "#core/db/schema/users.ts";
import { forbidden, signInRequired } from "#core/errors.ts";
import type { Mode } from "#core/model/mode.ts";
import type { Auth } from "../access/dashboard-sign-in.ts";

export const MODE_HEADER = "x-dashboard-mode";

const MODES: readonly Mode[] = ["test", "live"];

/** Rejects cross-site reads as well, because only the dashboard itself has a reason to make them. */
function requireSameOrigin({ method, headers }: Request, origins: readonly string[]): void {
  const from = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  const changes = method !== "GET" && method !== "HEAD";
  const isForeign = (from !== null && !origins.includes(from)) || (site !== null && site !== "same-origin");
  if (isForeign || (changes && from === null && site === null)) {
    throw forbidden(`A dashboard session is only valid for requests from the dashboard at ${origins[0]}.`);
  }
}

type Dependencies = {
  auth: Auth;
  trustedOrigins: readonly string[];
  ownMode: Mode;
  /** Returns the database of a mode's network, or undefined if the gateway has no such network. */
  findDatabase(mode: Mode): Database | undefined;
};

export type FindSessionCaller = (request: Request) => Promise<Caller | undefined>;

/** @returns a function that finds the caller, or undefined if the request has no session cookie or no mode header */
export function createSessionLookup({
  auth,
  trustedOrigins,
  ownMode,
  findDatabase,
}: Dependencies): FindSessionCaller {
  return async (request) => {
    const { headers } = request;
    const asked = headers.get(MODE_HEADER);
    if (asked === null || !headers.has("cookie")) return undefined;
    const mode = MODES.find((one) => one === asked);
    if (!mode) throw forbidden("Invalid X-Dashboard-Mode: expected one of test, live.");
    requireSameOrigin(request, trustedOrigins);
    const session = await auth.api.getSession({ headers, query: { disableRefresh: true } });
    if (!session) throw signInRequired("You are not signed in, or your session has expired. Sign in again.");
    const { id, merchantId: ownId, liveMerchantId, role } = session.user;
    const merchantId = mode === ownMode ? ownId : liveMerchantId;
    const database = findDatabase(mode);
    if (!database) throw forbidden(`No ${mode} network is configured on this gateway.`);
    if (!merchantId) throw forbidden(`This user has no access to the ${mode} network.`);
    const [row] = await database
      .select({ account: merchant.account })
      .from(merchant)
      .where(eq(merchant.id, merchantId));
    if (!row) throw forbidden(`This user's merchant does not exist on the ${mode} network.`);
    return { keyId: id, merchantId, account: row.account, mode, role: role as Role, isUser: true };
  };
}
