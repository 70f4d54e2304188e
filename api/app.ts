// The HTTP application. /v1 and /api/v1 serve the same operations. All errors are mapped to responses here.
import { Elysia } from "elysia";
import { unknownRoute } from "#core/errors.ts";
import { inRequest } from "#core/log.ts";
import { dashboardRoutes } from "./dashboard/routes.ts";
import { guidePages } from "./docs/guide-pages.ts";
import { healthRoutes } from "./health/routes.ts";
import { createMethodFinder } from "./http/allowed-methods.ts";
import { answerFailure, recordRequest } from "./http/answer.ts";
import { allowOrigins } from "./http/cors.ts";
import { refusalFor, toServiceError } from "./http/errors.ts";
import { requireHost } from "./http/host.ts";
import type { RequestContext } from "./http/request-context.ts";
import { NO_STORE } from "./http/route-macros.ts";
import { documentation } from "./openapi/plugin.ts";
import { routes } from "./routes.ts";
import type { Services } from "./services.ts";
import { webRoutes } from "./web/routes.ts";

const SECURITY = { "x-content-type-options": "nosniff" };
/** Sent if the gateway is behind TLS, so that browsers send no unencrypted requests for one year. */
const TRANSPORT_SECURITY = { "strict-transport-security": "max-age=31536000" };

export function createApp(services: Services) {
  const { accessControl, config, drain } = services;
  // By default (`standardHostname`), the router expects a host of at least four characters and misreads the path
  // after a shorter host.
  const always = { ...SECURITY, ...(config.baseUrl.startsWith("https:") ? TRANSPORT_SECURITY : {}) };
  let methodsAt: ReturnType<typeof createMethodFinder> | undefined;
  const app = new Elysia({ normalize: false, handler: { standardHostname: false } })
    .wrap(
      (fetch, request) =>
        (...given: unknown[]) =>
          inRequest.run({ requestId: readRequestId(request) }, () =>
            (fetch as (...args: unknown[]) => unknown)(...given),
          ),
    )
    .decorate("requestContext", undefined as RequestContext | undefined)
    .onError({ as: "global" }, async ({ code, error, request, requestContext, path, set, server }) => {
      methodsAt ??= createMethodFinder(app.routes);
      if (requestContext) requestContext.isFailed = true;
      const visitor = requestContext ?? { request, server, set, route: "none", startedAt: performance.now() };
      let failure =
        code === "NOT_FOUND" ? unknownRoute(request.method, path, methodsAt(path)) : refusalFor(error);
      // Requests that have not been counted yet, such as those for unknown routes, are counted by address.
      if (set.headers["x-ratelimit-limit"] === undefined) {
        await accessControl.byAddress(visitor).catch((refusal: unknown) => {
          failure = toServiceError(refusal);
        });
      }
      failure = (await requestContext?.claim?.release(failure)) ?? failure;
      const response = answerFailure(services, failure, visitor.route);
      set.headers["cache-control"] = NO_STORE;
      for (const [name, value] of Object.entries(set.headers)) response.headers.set(name, String(value));
      recordRequest(services, visitor, response.status);
      return response;
    })
    .onRequest(({ request, set }) => {
      Object.assign(set.headers, always);
      set.headers["x-request-id"] = inRequest.getStore()?.requestId ?? readRequestId(request);
      // Makes the client open a new connection, to another process, for its next request.
      if (drain.begun) set.headers.connection = "close";
      requireHost(request);
      return allowOrigins(request, set);
    })
    .use(healthRoutes(services))
    .use(dashboardRoutes(services))
    .use(webRoutes(services))
    .use(
      new Elysia()
        .onBeforeHandle(({ request, server, set }) => accessControl.byAddress({ request, server, set }))
        .use(guidePages)
        .use(documentation()),
    )
    .use(routes("/v1", services))
    .use(routes("/api/v1", services));
  return app;
}

/**
 * Returns the caller's request id if it is valid, so that the logs of both sides can be correlated, or else a
 * new id.
 */
function readRequestId(request: Request): string {
  const given = request.headers.get("x-request-id");
  return given && /^[\w.-]{1,100}$/.test(given)
    ? given
    : `req_${Bun.randomUUIDv7("hex").replaceAll("-", "")}`;
}
