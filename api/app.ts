// The HTTP application: /v1 and /api/v1 serve the same operations; errors are mapped in one place.
import { openapi } from "@elysiajs/openapi";
import { sql } from "drizzle-orm";
import { Elysia } from "elysia";
import type { ServiceError } from "#core/errors.ts";
import { describe, placesOf } from "#core/log.ts";
import { escrowRoutes } from "./escrow/routes.ts";
import { toResponse, toServiceError, unknownRoute } from "./http/errors.ts";
import { milestoneRoutes } from "./milestones/routes.ts";
import { paymentIntentRoutes } from "./payment-intents/routes.ts";
import type { Services } from "./services.ts";

const documentation = {
  info: {
    title: "Payment intents and escrow",
    version: "1.1.0",
    description: "Collects stablecoin payments through an on-chain escrow and settles them to fiat.",
  },
  components: {
    securitySchemes: {
      apiKey: { type: "apiKey" as const, in: "header" as const, name: "X-API-Key" },
      bearer: { type: "http" as const, scheme: "bearer" },
    },
  },
  security: [{ apiKey: [] }, { bearer: [] }],
};

/** Whether the service can do its work: every part that an answer depends on is there. */
async function checkReady({ database, client, reader }: Services): Promise<void> {
  await database.execute(sql`select 1`);
  await client.getBlockNumber({ cacheTime: 0 });
  await reader.head();
}

/** A part that is away is a warning, said by whoever waits for it; anything else is our mistake. */
function tell({ log }: Services, failure: ServiceError, where: Record<string, unknown>): void {
  const cause = failure.details.cause ?? failure;
  if (failure.status === 503) log.warn({ ...where, cause: describe(cause) }, failure.code);
  else log.error({ ...where, cause: describe(cause), at: placesOf(cause) }, failure.code);
}

export function createApp(services: Services) {
  const v1 = (prefix: string, documented: boolean) =>
    new Elysia({ prefix, normalize: false })
      .use(paymentIntentRoutes(services, documented))
      .use(escrowRoutes(services, documented))
      .use(milestoneRoutes(services, documented));

  return new Elysia({ normalize: false })
    .onError({ as: "global" }, ({ code, error, request, path, set }) => {
      const failure = code === "NOT_FOUND" ? unknownRoute(request.method, path) : toServiceError(error);
      if (failure.status >= 500) tell(services, failure, { path, requestId: set.headers["x-request-id"] });
      const response = toResponse(failure);
      for (const [name, value] of Object.entries(set.headers)) response.headers.set(name, String(value));
      return response;
    })
    .onRequest(({ request, set }) => {
      set.headers["x-request-id"] = requestIdOf(request);
    })
    .use(openapi({ path: "/docs", documentation, provider: "scalar" }))
    .get("/health", () => ({ status: "ok" }), { detail: { hide: true } })
    .get(
      "/ready",
      async () => {
        await checkReady(services);
        return { status: "ready" };
      },
      { detail: { hide: true } },
    )
    .use(v1("/v1", true))
    .use(v1("/api/v1", false));
}

/** The caller's own id if it is a plain one, so that his log and ours can be read side by side. */
function requestIdOf(request: Request): string {
  const given = request.headers.get("x-request-id");
  return given && /^[\w.-]{1,100}$/.test(given)
    ? given
    : `req_${Bun.randomUUIDv7("hex").replaceAll("-", "")}`;
}
