// Gives a request its Idempotency-Key: per merchant (on public routes: per intent and address), method and path.
import { canonicalPath, type RequestContext } from "../http/request-context.ts";
import { answeredText, storedText } from "./sealed-answer.ts";

const jsonResponse = (text: string): Response =>
  new Response(text, { headers: { "Content-Type": "application/json;charset=utf-8" } });

/** @returns the stored answer, where the request was made before */
export async function claimKey(context: RequestContext): Promise<Response | undefined> {
  const { request, caller, network, body, set } = context;
  const key = request.headers.get("idempotency-key");
  if (key === null) return undefined;
  const who = caller ? caller.merchantId : `public ${network.accessControl.visitorOf(context)}`;
  const scope = `${who} ${request.method} ${canonicalPath(context)}`;
  const claim = await network.idempotency.claim({ scope, key, body });
  if (typeof claim !== "string") {
    context.claim = claim;
    return undefined;
  }
  set.headers["idempotent-replayed"] = "true";
  return jsonResponse(answeredText(network.config, claim));
}

/** The answer as it is sent, once it is stored under the request's key. */
export async function storedResponse({ claim, network }: RequestContext, answer: unknown): Promise<Response> {
  if (!claim) return Response.json(answer);
  await claim.keep(storedText(network.config, answer));
  return jsonResponse(JSON.stringify(answer));
}
