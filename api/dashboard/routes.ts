// Signing in and out of the dashboard, and what it shows of whoever is signed in. Of the library's many routes only these
// are there; everything else is done by /v1.

import { eq } from "drizzle-orm";
import { Elysia } from "elysia";
import type { Mode } from "#core/db/schema/gateway.ts";
import { merchant } from "#core/db/schema/merchants.ts";
import { signInRequired, unknownRoute } from "#core/errors.ts";
import { inRequest } from "#core/log.ts";
import { answerFailure, recordRequest } from "../http/answer.ts";
import type { Matched } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import { AUTH_PATH, type Auth, CLIENT_ADDRESS } from "./auth.ts";
import { readCredentials, translate } from "./sign-in.ts";

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
  const { accessControl, auth } = services;
  const answered = async (answer: (auth: Auth, matched: Matched) => Promise<Response>, matched: Matched) => {
    const startedAt = performance.now();
    let response: Response;
    try {
      await accessControl.byAddress(matched);
      if (!auth) throw unknownRoute(matched.request.method, matched.route);
      response = await answer(auth, matched);
    } catch (error) {
      response = answerFailure(services, error, matched.route);
    }
    recordRequest(services, { request: matched.request, route: matched.route, startedAt }, response.status);
    return response;
  };
  const route = (answer: (auth: Auth, matched: Matched) => Promise<Response>) => (matched: Matched) =>
    inRequest.run({ requestId: String(matched.set.headers["x-request-id"]) }, answered, answer, matched);
  const forward = (library: Auth, { request, server, set }: Matched, body: object) => {
    const headers = new Headers(request.headers);
    headers.set(CLIENT_ADDRESS, accessControl.visitorOf({ request, server, set }));
    headers.delete("content-length");
    return library.handler(new Request(request.url, { method: "POST", headers, body: JSON.stringify(body) }));
  };
  const signIn = route(async (library, matched) => {
    const credentials = await readCredentials(matched.request);
    await accessControl.bySignIn(matched, credentials.email);
    return translate(await forward(library, matched, credentials));
  });
  const signOut = route(async (library, matched) => translate(await forward(library, matched, {})));
  return new Elysia()
    .get(
      "/dashboard/session",
      route((library, { request }) => whoIs(services, library, request)),
    )
    .post(`${AUTH_PATH}/sign-in/email`, signIn, { parse: "none" })
    .post(`${AUTH_PATH}/sign-out`, signOut, { parse: "none" });
}
