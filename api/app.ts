// The HTTP application: /v1 and /api/v1 serve the same operations; errors are mapped in one place.
import { type ElysiaOpenAPIConfig, openapi } from "@elysiajs/openapi";
import { Elysia } from "elysia";
import { unknownRoute } from "#core/errors.ts";
import { inRequest } from "#core/log.ts";
import { dashboardRoutes } from "./dashboard/routes.ts";
import { allowedMethods } from "./http/allowed-methods.ts";
import { answerFailure, record } from "./http/answer.ts";
import { healthRoutes } from "./http/health.ts";
import { requireHost } from "./http/host.ts";
import { handlerOf, NO_STORE } from "./http/serve.ts";
import { docsPage } from "./openapi/docs-page.ts";
import { openApiDocument } from "./openapi/document.ts";
import { OPERATIONS } from "./operations.ts";
import type { Services } from "./services.ts";
import { webRoutes } from "./web/routes.ts";

/** Serves the document at /docs/json. It tells the table of operations; of the router's routes nothing is to be added. */
const documented = {
  path: "/docs",
  documentation: openApiDocument() as NonNullable<ElysiaOpenAPIConfig["documentation"]>,
  exclude: { paths: /^/ },
  provider: null,
} as const;

const SECURITY = { "x-content-type-options": "nosniff" };
/** Behind TLS: a year, so that no request goes out in the clear. */
const TRANSPORT_SECURITY = { "strict-transport-security": "max-age=31536000" };

export function createApp(services: Services) {
  const { admission, config, drain } = services;
  /** Whoever looks for what there is not is counted by address, unless that was done. */
  const answerUnrouted = async (visitor: Parameters<typeof admission.byAddress>[0], error: unknown) => {
    try {
      if (visitor.set.headers["x-ratelimit-limit"] === undefined) await admission.byAddress(visitor);
    } catch (refusal) {
      return answerFailure(services, refusal, "none");
    }
    return answerFailure(services, error, "none");
  };
  const v1 = (prefix: string) => {
    const app = new Elysia({ prefix, normalize: false });
    for (const operation of OPERATIONS) {
      const { method, path } = operation;
      app.route(method, path, handlerOf(services, operation), { parse: "none" });
    }
    return app;
  };

  // By default the router expects a host of four characters or more, and reads the path of a shorter one too late.
  const always = { ...SECURITY, ...(config.baseUrl.startsWith("https:") ? TRANSPORT_SECURITY : {}) };
  let methodsAt: ReturnType<typeof allowedMethods> | undefined;
  const app = new Elysia({ normalize: false, handler: { standardHostname: false } })
    .onError({ as: "global" }, async ({ code, error, request, path, set, server }) => {
      const visit = { request, server, set, route: "none", startedAt: performance.now() };
      return inRequest.run({ requestId: String(set.headers["x-request-id"]) }, async () => {
        const unknown = code === "NOT_FOUND";
        methodsAt ??= allowedMethods(app.routes);
        const response = await answerUnrouted(
          visit,
          unknown ? unknownRoute(request.method, path, methodsAt(path)) : error,
        );
        set.headers["cache-control"] = NO_STORE;
        for (const [name, value] of Object.entries(set.headers)) response.headers.set(name, String(value));
        record(services, visit, response.status);
        return response;
      });
    })
    .onRequest(({ request, set }) => {
      Object.assign(set.headers, always);
      set.headers["x-request-id"] = requestIdOf(request);
      // The next request on this connection goes to another process.
      if (drain.begun) set.headers.connection = "close";
      requireHost(request);
    })
    .use(healthRoutes(services))
    .use(dashboardRoutes(services))
    .use(webRoutes(services))
    .use(
      new Elysia()
        .onBeforeHandle(({ request, server, set }) => admission.byAddress({ request, server, set }))
        .use(docsPage)
        .use(openapi(documented)),
    )
    .use(v1("/v1"))
    .use(v1("/api/v1"));
  return app;
}

/** The caller's own id if it is a plain one, so that his log and ours can be read side by side. */
function requestIdOf(request: Request): string {
  const given = request.headers.get("x-request-id");
  return given && /^[\w.-]{1,100}$/.test(given)
    ? given
    : `req_${Bun.randomUUIDv7("hex").replaceAll("-", "")}`;
}
