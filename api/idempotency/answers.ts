// Claims a request's Idempotency-Key. Keys are scoped by method, path and merchant. On public routes, the client
// address replaces the merchant.
import type { Caller } from "#core/api-keys/api-keys.ts";
import type { Config } from "#core/config/config.ts";
import type { AccessControl, Visitor } from "../access/authenticate.ts";
import { canonicalPath } from "../canonical-path.ts";
import type { Claim, Idempotency } from "./idempotency.ts";
import { answeredText, storedText } from "./sealed-answer.ts";

type Keyed = Visitor & {
  /** The route's pattern, such as `/v1/payment-intents/:intentId`. */
  route: string;
  params: Record<string, string | null>;
  caller?: Caller;
  body: object;
  claim?: Claim;
  services: { config: Config; accessControl: AccessControl; idempotency: Idempotency };
};

const jsonResponse = (text: string): Response =>
  new Response(text, { headers: { "Content-Type": "application/json;charset=utf-8" } });

/** @returns the stored response if the request is a retry */
export async function claimKey(context: Keyed): Promise<Response | undefined> {
  const { request, route, params, caller, services, body, set } = context;
  const key = request.headers.get("idempotency-key");
  if (key === null) return undefined;
  const who = caller ? caller.merchantId : `public ${services.accessControl.readVisitorAddress(context)}`;
  const scope = `${who} ${request.method} ${canonicalPath(route, params)}`;
  const claim = await services.idempotency.claim({ scope, key, body });
  if (typeof claim !== "string") {
    context.claim = claim;
    return undefined;
  }
  set.headers["idempotent-replayed"] = "true";
  return jsonResponse(answeredText(services.config, claim));
}

/** Stores the response under the request's key, if it has one, and returns it as sent. */
export async function storedResponse(
  { claim, services }: Pick<Keyed, "claim" | "services">,
  answer: unknown,
): Promise<Response> {
  if (!claim) return Response.json(answer);
  await claim.keep(storedText(services.config, answer));
  return jsonResponse(JSON.stringify(answer));
}
