// Serves an operation: lets its caller in, runs it once or gives the stored answer again, and makes whatever happens an
// answer that is counted and logged.
import { inRequest } from "#core/log.ts";
import { entryOfNew, recordOperation } from "../audit-logs/record-operation.ts";
import type { Services } from "../services.ts";
import { answerFailure, record } from "./answer.ts";
import { readText } from "./body.ts";
import type { New, PublicCall } from "./call.ts";
import { compressed } from "./compression.ts";
import type { StoreAnswer } from "./idempotency.ts";
import type { Operation, Run, Stream } from "./operation.ts";
import { answeredText, storedText } from "./sealed-answer.ts";
import type { Matched, Visit } from "./visit.ts";

/** @param before the same request's call that may have read the body already: it can be read once */
function callOf(
  services: Services,
  visit: Visit,
  store: StoreAnswer | undefined,
  before?: PublicCall,
): PublicCall {
  const { request, params, route, caller } = visit;
  const entered = () => ({ route, requestId: inRequest.getStore()?.requestId ?? null });
  let text: Promise<string> | undefined;
  const call: PublicCall = {
    request,
    params,
    url: new URL(request.url),
    text: () => {
      text ??= before?.text() ?? readText(request);
      return text;
    },
    async answer(tx, answer) {
      await store?.(tx, { status: 200, body: storedText(services.config, answer) });
      await recordOperation(tx, call, { ...entered(), ...(caller ? { caller } : {}) }, answer);
      return answer;
    },
    ...(store || !caller
      ? {}
      : { entryOfNew: (answer: New) => entryOfNew({ ...entered(), caller }, answer) }),
  };
  return call;
}

/** The path that was asked for, in the one way to write it. */
const pathOf = ({ route, params }: Visit): string =>
  route
    .replace(/^\/api(?=\/v1\/)/, "")
    .replace(/\/$/, "")
    .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));

async function serve<C extends PublicCall>(
  services: Services,
  visit: Visit,
  complete: (call: PublicCall) => C,
  scope: string,
  run: Run<C>,
): Promise<Response> {
  const { request, set } = visit;
  const key = request.method === "POST" ? request.headers.get("idempotency-key") : null;
  if (key === null) return Response.json(await run(services, complete(callOf(services, visit, undefined))));
  const first = callOf(services, visit, undefined);
  const answer = await services.idempotency.run(
    {
      scope: `${scope} ${request.method} ${pathOf(visit)}`,
      key,
      body: await first.text(),
    },
    async (store) => {
      const call = complete(callOf(services, visit, store, first));
      return { status: 200, body: JSON.stringify(await run(services, call)) };
    },
  );
  if (answer.replayed) set.headers["idempotent-replayed"] = "true";
  return new Response(answer.replayed ? answeredText(services.config, answer.body) : answer.body, {
    status: answer.status,
    headers: { "Content-Type": "application/json;charset=utf-8" },
  });
}

/** What is answered is one merchant's, and may change the next moment. */
export const NO_STORE = "no-store";

/** The handler of a route: whatever happens is an answer, counted and logged. */
function handler(services: Services, answer: (visit: Visit) => Promise<Response>) {
  const visited = async (visit: Visit): Promise<Response> => {
    let response: Response;
    try {
      response = await answer(visit);
    } catch (error) {
      response = answerFailure(services, error, visit.route);
    }
    record(services, visit, response.status);
    visit.set.headers["cache-control"] = NO_STORE;
    return compressed(visit.request, response);
  };
  // Named one by one: the router prepares no more than a handler names.
  return ({ request, params, set, server, route }: Matched): Promise<Response> => {
    // A route without parameters has none at all.
    const visit = { request, params: params ?? {}, set, server, route, startedAt: performance.now() };
    return inRequest.run({ requestId: String(set.headers["x-request-id"]) }, visited, visit);
  };
}

type Handler = ReturnType<typeof handler>;

/** Streams to whoever asks for a stream; anybody else is answered. */
function streamed(services: Services, stream: Stream, answer: Handler): Handler {
  const { admission, networks } = services;
  const streaming = handler(services, async (visit) => {
    await admission.byAddress(visit);
    const { request, server, params } = visit;
    const network = await networks.holding(services, params.intentId);
    return stream(network, callOf(network, visit, undefined), {
      address: admission.visitorOf(visit),
      closeAfterIdle: (seconds) => server?.timeout(request, seconds),
    });
  });
  return (matched) =>
    matched.request.headers.get("accept")?.includes("text/event-stream")
      ? streaming(matched)
      : answer(matched);
}

/** The router's handler for an operation. */
export function handlerOf(services: Services, operation: Operation) {
  const { admission, networks } = services;
  if (operation.access === "public") {
    const { run, stream } = operation;
    const answer = handler(services, async (visit) => {
      await admission.byAddress(visit);
      const network = await networks.holding(services, visit.params.intentId);
      return serve(network, visit, (call) => call, `public ${admission.visitorOf(visit)}`, run);
    });
    return stream ? streamed(services, stream, answer) : answer;
  }
  const { run, needs: power, limit, userOnly = false, csv } = operation;
  const demand = { power, userOnly, ...(limit === undefined ? {} : { endpoint: limit }) };
  return handler(services, async (visit) => {
    const caller = await admission.byKey(visit, demand);
    const network = networks.of(caller.mode);
    if (csv && visit.request.headers.get("accept")?.includes("text/csv")) {
      return csv(network, { ...callOf(network, visit, undefined), caller });
    }
    return serve(network, { ...visit, caller }, (call) => ({ ...call, caller }), caller.merchantId, run);
  });
}
