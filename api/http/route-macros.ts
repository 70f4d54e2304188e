// An Elysia plugin for all routes of /v1: hooks that complete responses, and the macros `access` (who may call
// the route, and which limits apply), `open`, `audit` and `idempotent`.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { AuditAction } from "#core/audit/actions.ts";
import type { AccessRequirement } from "../access/authenticate.ts";
import { claimKey, storedResponse } from "../idempotency/answers.ts";
import type { Services } from "../services.ts";
import { recordRequest } from "./answer.ts";
import { readBody } from "./body.ts";
import { compressed } from "./compression.ts";
import { type Call, type Matched, type PublicCall, RequestContext } from "./request-context.ts";

/** Responses belong to one merchant and may change at any time. */
export const NO_STORE = "no-store";

const KEYS = [{ apiKey: [] }, { bearer: [] }, { basic: [] }];

const IDEMPOTENCY_HEADERS = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      pattern: "^[\\x21-\\x7e]{1,255}$",
      description:
        "A retry with the same key and body within 24 hours returns the same response and has no further effect.",
      examples: ["7f1a8c3e-2b0d-4a5e-9a41-0c6f5d2f7b11"],
    }),
  ),
});

/** Elysia's context with the request context, which its hooks share. */
type Context = Matched & { requestContext?: RequestContext };
type Entered = { requestContext: RequestContext };

export function routeMacros(services: Services) {
  const { accessControl, networks } = services;
  const enter = (requirement: AccessRequirement | "public") => async (context: Context) => {
    // If the request has a body, the parse hook has already checked access.
    if (context.requestContext) return;
    const { request, params, set, server, route } = context;
    const entered = new RequestContext({ request, params, set, server, route }, services);
    context.requestContext = entered;
    set.headers["cache-control"] = NO_STORE;
    if (requirement === "public") {
      await accessControl.byAddress(entered);
      entered.services = await networks.holding(services, entered.params.intentId);
    } else {
      entered.caller = await accessControl.byKey(entered, requirement);
      entered.services = networks.of(entered.caller.mode);
    }
  };
  const read = async ({ request, requestContext }: Entered & { request: Request }) => {
    requestContext.body = await readBody(request);
    return requestContext.body;
  };
  const entered = <C extends PublicCall>(requirement: AccessRequirement | "public", security: object[]) => ({
    // Also used for the document (openapi/complete-operation.ts).
    detail: { security, "x-access": requirement } as object,
    // Elysia reads the body before it runs the other hooks, so access is checked here first.
    parse: [enter(requirement), read, "json"] as never,
    transform: enter(requirement) as never,
    resolve({ requestContext }: Entered) {
      return { services: requestContext.services, call: requestContext as PublicCall as C };
    },
  });

  return (
    new Elysia({ name: "route-macros", normalize: false })
      // Set before the other hooks run; undefined for requests that match no operation.
      .decorate("requestContext", undefined as unknown as RequestContext)
      .macro({
        /** Only for callers with a key or a session that has this permission. */
        access: (requirement: AccessRequirement) =>
          entered<Call>(requirement, requirement.userOnly ? [{ dashboard: [] }] : KEYS),
        /** For every caller, rate-limited by address. */
        open: (_: true) => entered<PublicCall>("public", []),
        /** The action's name in the audit log. */
        audit: (action: AuditAction) => ({
          beforeHandle({ requestContext }: Entered) {
            requestContext.action = action;
          },
        }),
        /** A retry with the same Idempotency-Key receives the first response. */
        idempotent: (_: true) => ({
          headers: IDEMPOTENCY_HEADERS as never,
          beforeHandle: async ({ requestContext }: Entered) => claimKey(requestContext),
        }),
      })
      .mapResponse({ as: "scoped" }, async ({ request, requestContext, responseValue }) => {
        // The error handler has already created the response of a failed request.
        if (!requestContext || requestContext.isFailed) return undefined;
        const response =
          responseValue instanceof Response
            ? responseValue
            : await storedResponse(requestContext, responseValue);
        recordRequest(services, requestContext, response.status);
        return compressed(request, response);
      })
  );
}

export type RouteMacros = ReturnType<typeof routeMacros>;
