// What is known of a request on its way through the router's hooks.
import type { Server } from "bun";
import type { Caller } from "#core/api-keys/api-keys.ts";
import type { AuditAction } from "#core/audit/actions.ts";
import type { Claim } from "../idempotency/idempotency.ts";
import type { Services } from "../services.ts";

/** What the router gives to a hook. */
export type Matched = {
  request: Request;
  params: Record<string, string | null>;
  set: { headers: Record<string, unknown> };
  server: Server<unknown> | null;
  /** The pattern, such as `/v1/payment-intents/:intentId`. */
  route: string;
};

export type RequestContext = Matched & {
  startedAt: number;
  /** The services of the network that the request is for. */
  network: Services;
  caller?: Caller;
  /** The body; an empty object where there is none. */
  body: Record<string, unknown>;
  hasBody: boolean;
  /** What the audit log calls it, if it changes something. */
  action?: AuditAction;
  /** Its hold on its Idempotency-Key. */
  claim?: Claim;
  isFailed?: true;
};

const contexts = new WeakMap<Request, RequestContext>();

/** @returns undefined for a request that no route has taken yet */
export const findContext = (request: Request): RequestContext | undefined => contexts.get(request);

/** @throws Error for a request that no route has taken yet */
export function requireContext(request: Request): RequestContext {
  const context = contexts.get(request);
  if (!context) throw new Error("A hook ran before the route's access was checked.");
  return context;
}

export function beginContext(matched: Matched, network: Services): RequestContext {
  const { request, params, set, server, route } = matched;
  const context = {
    // A route without parameters has none at all.
    ...{ request, params: params ?? {}, set, server, route, network },
    ...{ startedAt: performance.now(), body: {}, hasBody: false },
  };
  contexts.set(request, context);
  return context;
}
