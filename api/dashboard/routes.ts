// Signing in and out of the dashboard, and what it shows of whoever is signed in. Of the library's many routes only these
// are there; everything else is done by /v1.

import { eq } from "drizzle-orm";
import { Elysia } from "elysia";
import type { Mode } from "#core/db/schema/gateway.ts";
import { merchant } from "#core/db/schema/merchants.ts";
import { signInRequired, unknownRoute } from "#core/errors.ts";
import { AUTH_PATH, type Auth, CLIENT_ADDRESS } from "../access/auth.ts";
import { gateway } from "../http/gateway.ts";
import type { Services } from "../services.ts";
import { Credentials, translate } from "./sign-in.ts";
import { streamChanges } from "./stream-changes.ts";

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
  const library = ({ method, url }: Request): Auth => {
    if (!auth) throw unknownRoute(method, new URL(url).pathname);
    return auth;
  };
  const forward = (request: Request, address: string, body: object) => {
    const headers = new Headers(request.headers);
    headers.set(CLIENT_ADDRESS, address);
    headers.delete("content-length");
    return library(request).handler(
      new Request(request.url, { method: "POST", headers, body: JSON.stringify(body) }),
    );
  };
  return new Elysia({ normalize: false })
    .use(gateway(services))
    .get("/dashboard/session", async ({ request }) => whoIs(services, library(request), request), {
      open: true,
    })
    .get(
      "/dashboard/changes",
      async ({ network, call, request, server }) =>
        streamChanges(network, call, library(request), (seconds) => server?.timeout(request, seconds)),
      { access: { permission: "read" } },
    )
    .post(
      `${AUTH_PATH}/sign-in/email`,
      async ({ request, server, set, body }) => {
        await accessControl.bySignIn({ request, server, set }, body.email);
        return translate(await forward(request, accessControl.addressOf(request, server), body));
      },
      { open: true, body: Credentials },
    )
    .post(
      `${AUTH_PATH}/sign-out`,
      async ({ request, server }) =>
        translate(await forward(request, accessControl.addressOf(request, server), {})),
      { open: true },
    );
}
