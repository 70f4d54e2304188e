// The HTTP application: /v1 and /api/v1 serve the same operations; errors are mapped in one place.
import { openapi } from "@elysiajs/openapi";
import { Elysia } from "elysia";
import { inRequest } from "#core/log.ts";
import { auditLogRoutes } from "./audit-logs/routes.ts";
import { checkoutRoutes } from "./checkout/routes.ts";
import { escrowRoutes } from "./escrow/routes.ts";
import { eventRoutes } from "./events/routes.ts";
import { answerFailure, record } from "./http/answer.ts";
import { unknownRoute } from "./http/errors.ts";
import { healthRoutes } from "./http/health.ts";
import { milestoneRoutes } from "./milestones/routes.ts";
import { paymentIntentRoutes } from "./payment-intents/routes.ts";
import type { Services } from "./services.ts";
import { webRoutes } from "./web/routes.ts";
import { webhookEndpointRoutes } from "./webhook-endpoints/routes.ts";

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

export function createApp(services: Services) {
  const { admission } = services;
  /** Whoever looks for what there is not is counted by address, unless that was done. */
  const answerUnrouted = async (visitor: Parameters<typeof admission.byAddress>[0], error: unknown) => {
    try {
      if (visitor.set.headers["x-ratelimit-limit"] === undefined) await admission.byAddress(visitor);
    } catch (refusal) {
      return answerFailure(services, refusal, "none");
    }
    return answerFailure(services, error, "none");
  };
  const v1 = (prefix: string, documented: boolean) =>
    new Elysia({ prefix, normalize: false })
      .use(paymentIntentRoutes(services, documented))
      .use(checkoutRoutes(services, documented))
      .use(escrowRoutes(services, documented))
      .use(milestoneRoutes(services, documented))
      .use(eventRoutes(services, documented))
      .use(webhookEndpointRoutes(services, documented))
      .use(auditLogRoutes(services, documented));

  return new Elysia({ normalize: false })
    .onError({ as: "global" }, async ({ code, error, request, path, set, server }) => {
      const visit = { request, server, set, route: "none", startedAt: performance.now() };
      return inRequest.run({ requestId: String(set.headers["x-request-id"]) }, async () => {
        const unknown = code === "NOT_FOUND";
        const response = await answerUnrouted(visit, unknown ? unknownRoute(request.method, path) : error);
        for (const [name, value] of Object.entries(set.headers)) response.headers.set(name, String(value));
        record(services, visit, response.status);
        return response;
      });
    })
    .onRequest(({ request, set }) => {
      set.headers["x-request-id"] = requestIdOf(request);
    })
    .use(healthRoutes(services))
    .use(webRoutes(services))
    .use(
      new Elysia()
        .onBeforeHandle(({ request, server, set }) => admission.byAddress({ request, server, set }))
        .use(openapi({ path: "/docs", documentation, provider: "scalar" })),
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
