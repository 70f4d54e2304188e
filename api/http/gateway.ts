// What every route of /v1 shares, as a plugin: hooks that finish its answers, and macros that a route names:
// `access` (who may call it, counted against their limits), `idempotent` and `audit`.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { AuditAction } from "#core/audit/actions.ts";
import type { AccessRequirement } from "../access/access-control.ts";
import { claimKey, storedResponse } from "../idempotency/answers.ts";
import type { Services } from "../services.ts";
import { recordRequest } from "./answer.ts";
import { readBody } from "./body.ts";
import { type Call, type PublicCall, toCall } from "./call.ts";
import { compressed } from "./compression.ts";
import { beginContext, findContext, type Matched, requireContext } from "./request-context.ts";

/** What is answered is one merchant's, and may change the next moment. */
export const NO_STORE = "no-store";

const KEYS = [{ apiKey: [] }, { bearer: [] }, { basic: [] }];

const IDEMPOTENCY_HEADERS = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      pattern: "^[\\x21-\\x7e]{1,255}$",
      description:
        "A retry with the same key and body within 24 hours gets the same answer and has no effect of its own.",
      examples: ["7f1a8c3e-2b0d-4a5e-9a41-0c6f5d2f7b11"],
    }),
  ),
});

export function gateway(services: Services) {
  const enter =
    (requirement: AccessRequirement | "public") =>
    // Named one by one: the router prepares no more than a hook names.
    async ({ request, params, set, server, route }: Matched): Promise<void> => {
      // The router reads a body before it runs other hooks: then the access was checked there.
      if (findContext(request)) return;
      const { accessControl, networks } = services;
      const context = beginContext({ request, params, set, server, route }, services);
      set.headers["cache-control"] = NO_STORE;
      if (requirement === "public") {
        await accessControl.byAddress(context);
        context.network = await networks.holding(services, context.params.intentId);
      } else {
        context.caller = await accessControl.byKey(context, requirement);
        context.network = networks.of(context.caller.mode);
      }
    };
  const read = async ({ request }: { request: Request }) => readBody(requireContext(request));
  const entered = <C extends PublicCall>(requirement: AccessRequirement | "public", security: object[]) => ({
    // Also for the document (openapi/operations.ts).
    detail: { security, "x-access": requirement } as object,
    // A body is read before the other hooks run.
    parse: [enter(requirement), read, "json"] as never,
    transform: enter(requirement) as never,
    resolve({ request }: { request: Request }) {
      const context = requireContext(request);
      return { network: context.network, call: toCall(context) as C };
    },
  });

  return new Elysia({ name: "gateway", normalize: false })
    .macro({
      /** For callers with a key or a session that are allowed this. */
      access: (requirement: AccessRequirement) =>
        entered<Call>(requirement, requirement.userOnly ? [{ dashboard: [] }] : KEYS),
      /** For everyone, counted by address. */
      open: (_: true) => entered<PublicCall>("public", []),
      /** What the audit log calls it. */
      audit: (action: AuditAction) => ({
        beforeHandle: ({ request }: { request: Request }) => {
          requireContext(request).action = action;
        },
      }),
      /** A retry with the same Idempotency-Key gets the first one's answer. */
      idempotent: (_: true) => ({
        headers: IDEMPOTENCY_HEADERS as never,
        beforeHandle: async ({ request }: { request: Request }) => claimKey(requireContext(request)),
      }),
    })
    .mapResponse({ as: "scoped" }, async ({ request, responseValue }) => {
      const context = findContext(request);
      // An error has its response already.
      if (!context || context.isFailed) return undefined;
      const response =
        responseValue instanceof Response ? responseValue : await storedResponse(context, responseValue);
      recordRequest(services, context, response.status);
      return compressed(request, response);
    });
}

export type Gateway = ReturnType<typeof gateway>;
