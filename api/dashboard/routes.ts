// Signing in and out of the dashboard, and what it shows of whoever is signed in. Of the library's many routes only these
// are there; everything else is done by /v1.

import { eq } from "drizzle-orm";
import { Elysia } from "elysia";
import type { Mode } from "#core/db/schema/gateway.ts";
import { merchant } from "#core/db/schema/merchants.ts";
import { signInRequired } from "#core/errors.ts";
import { answerFailure, record } from "../http/answer.ts";
import { unknownRoute } from "../http/errors.ts";
import type { Matched } from "../http/visit.ts";
import type { Services } from "../services.ts";
import { AUTH_PATH, type Auth, CLIENT_ADDRESS } from "./auth.ts";

const NO_STORE = { "Cache-Control": "no-store" };

/** What the page may know of the network of a mode, and of its user's merchant there. */
async function networkOf(services: Services, mode: Mode, merchantId: string | null | undefined) {
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

async function whoIs(services: Services, auth: Auth, request: Request): Promise<Response> {
  const answered = await auth.api.getSession({ headers: request.headers, returnHeaders: true });
  const user = answered.response?.user;
  if (!user) throw signInRequired("You are not signed in, or your session is over. Sign in again.");
  const merchantIdOf = (mode: Mode) =>
    mode === services.config.mode ? user.merchantId : user.liveMerchantId;
  const [test, live] = await Promise.all(
    (["test", "live"] as const).map((mode) => networkOf(services, mode, merchantIdOf(mode))),
  );
  const body = {
    user: { id: user.id, name: user.name, email: user.email },
    networks: { test, live },
  };
  // A session that is used lives on: the cookie with it.
  const headers = new Headers(NO_STORE);
  for (const cookie of answered.headers.getSetCookie()) headers.append("Set-Cookie", cookie);
  return Response.json(body, { headers });
}

export function dashboardRoutes(services: Services) {
  const { admission, auth } = services;
  const route = (answer: (auth: Auth, matched: Matched) => Promise<Response>) => async (matched: Matched) => {
    const startedAt = performance.now();
    let response: Response;
    try {
      await admission.byAddress(matched);
      if (!auth) throw unknownRoute(matched.request.method, matched.route);
      response = await answer(auth, matched);
    } catch (error) {
      response = answerFailure(services, error, matched.route);
    }
    record(services, { request: matched.request, route: matched.route, startedAt }, response.status);
    return response;
  };
  const forwarded = route(async (library, { request, server, set }) => {
    const headers = new Headers(request.headers);
    headers.set(CLIENT_ADDRESS, admission.visitorOf({ request, server, set }));
    return library.handler(new Request(request, { headers }));
  });
  return new Elysia()
    .get(
      "/dashboard/session",
      route((library, { request }) => whoIs(services, library, request)),
    )
    .post(`${AUTH_PATH}/sign-in/email`, forwarded, { parse: "none" })
    .post(`${AUTH_PATH}/sign-out`, forwarded, { parse: "none" });
}
