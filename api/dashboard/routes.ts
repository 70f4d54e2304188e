// The dashboard's own routes: session, home page, change stream, sign-in and sign-out, user accounts, teams and request
// logs. For everything else, the dashboard uses /v1.
import { eq } from "drizzle-orm";
import { Elysia } from "elysia";
import { merchant } from "#core/db/schema/merchants.ts";
import { signInRequired } from "#core/errors.ts";
import type { Mode } from "#core/model/mode.ts";
import { routeMacros } from "../http/route-macros.ts";
import type { Services } from "../services.ts";
import { accountRoutes } from "./account-routes.ts";
import { answerWith, requireAuth } from "./library.ts";
import { requestLogRoutes } from "./request-log-routes.ts";
import { retrieveHome } from "./retrieve-home.ts";
import { signInRoutes } from "./sign-in-routes.ts";
import { streamChanges } from "./stream-changes.ts";
import { teamRoutes } from "./team-routes.ts";

/**
 * Loads the data of a mode's network and of the user's merchant on that network. Returns null if either does not
 * exist.
 */
async function loadNetwork(services: Services, mode: Mode, merchantId: string | null | undefined) {
  const found = services.networks.find(mode);
  if (!found || !merchantId) return null;
  const [of] = await found.database
    .select({ name: merchant.name, account: merchant.account })
    .from(merchant)
    .where(eq(merchant.id, merchantId));
  const { name, explorerUrl } = found.config.network;
  const currencies = Object.entries(found.config.chain.units).map(([symbol, { decimals }]) => ({
    symbol,
    decimals,
  }));
  return {
    name,
    explorerUrl,
    currencies,
    merchantName: of?.name ?? merchantId,
    account: of?.account ?? null,
  };
}

async function whoIs(services: Services, request: Request): Promise<Response> {
  const auth = requireAuth(services, request);
  const answered = await auth.api.getSession({ headers: request.headers, returnHeaders: true });
  const user = answered.response?.user;
  if (!user) throw signInRequired("You are not signed in, or your session has expired. Sign in again.");
  const merchantIdOf = (mode: Mode) =>
    mode === services.config.mode ? user.merchantId : user.liveMerchantId;
  const [test, live] = await Promise.all(
    (["test", "live"] as const).map((mode) => loadNetwork(services, mode, merchantIdOf(mode))),
  );
  const { id, name, email, role, twoFactorEnabled } = user;
  const body = {
    user: { id, name, email, role, twoFactorEnabled: twoFactorEnabled === true },
    networks: { test, live },
  };
  // Reading a session can extend the session, and the response then renews its cookie.
  return answerWith(body, answered.headers.getSetCookie());
}

/** @param own the services of the gateway's own network, where users are stored */
export const dashboardRoutes = (own: Services) => {
  const shared = routeMacros(own);
  return new Elysia({ normalize: false })
    .use(shared)
    .get("/dashboard/session", ({ request }) => whoIs(own, request), { open: true })
    .get("/dashboard/home", ({ services, call }) => retrieveHome(services, call), {
      access: { permission: "read" },
    })
    .get(
      "/dashboard/changes",
      async ({ services, call, request, server }) =>
        streamChanges(services, call, requireAuth(own, request), (seconds) =>
          server?.timeout(request, seconds),
        ),
      { access: { permission: "read" } },
    )
    .use(signInRoutes(own, shared))
    .use(accountRoutes(own, shared))
    .use(teamRoutes(own, shared))
    .use(requestLogRoutes(shared));
};
