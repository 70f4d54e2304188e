// One operation as a route: who may call it, how often, once or again; and its description for the OpenAPI document,
// from the same schemas that check it.
import type { TSchema } from "@sinclair/typebox";
import type { Server } from "bun";
import type { Caller, Power } from "#core/api-keys.ts";
import { inRequest } from "#core/log.ts";
import { entryOfNew, recordOperation } from "../audit-logs/record-operation.ts";
import type { Services } from "../services.ts";
import { answerFailure, record } from "./answer.ts";
import { readText } from "./body.ts";
import type { Call, New, PublicCall } from "./call.ts";
import { toResponse, toServiceError } from "./errors.ts";
import type { StoreAnswer, StoredAnswer } from "./idempotency.ts";
import type { LimitedEndpoint } from "./rate-limits.ts";
import { answeredText, storedText } from "./sealed-answer.ts";

export type ErrorStatus = 400 | 401 | 403 | 404;

type Described = {
  summary: string;
  tag: string;
  body?: TSchema;
  answer: TSchema;
  /** Status codes that this operation answers besides 200. */
  errors: ErrorStatus[];
  /** The limit of its own that it has beside the key's. */
  limit?: LimitedEndpoint;
  /** It also answers, to whoever asks for text/event-stream, with a stream of such answers. */
  streams?: boolean;
  /** What the key must be allowed; by default to read for a GET, else to write. */
  needs?: Power;
};

/** What the router gives to a handler. */
type Matched = {
  request: Request;
  params: Record<string, string | null>;
  set: { headers: Record<string, unknown> };
  server: Server<unknown> | null;
  /** The pattern, such as `/v1/payment-intents/:intentId`. */
  route: string;
};

/** A request on its way through an operation. */
export type Visit = Matched & { startedAt: number; caller?: Caller };

const MEANING = {
  400: "The request is not valid, or the state does not allow it.",
  401: "No API key.",
  403: "The API key is not valid or restricted, or the intent belongs to another merchant.",
  404: "There is no such resource.",
} as const;

const ErrorBody = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message", "type"],
      properties: {
        code: { type: "string" },
        message: { type: "string" },
        type: {
          type: "string",
          enum: ["invalid_request_error", "authentication_error", "rate_limit_error", "api_error"],
        },
        param: { type: "string" },
        retryAfter: { type: "integer" },
      },
    },
  },
} as const;

const json = (schema: object) => ({ content: { "application/json": { schema } } });
const errorOf = (description: string) => ({ description, ...json(ErrorBody) });

const LIMIT_HEADERS = {
  "X-RateLimit-Limit": "Requests allowed in the window that has the least left.",
  "X-RateLimit-Remaining": "Requests left in it.",
  "X-RateLimit-Reset": "When it ends, in Unix seconds.",
};
const integer = { type: "integer" as const };
const limitHeaders = Object.fromEntries(
  Object.entries(LIMIT_HEADERS).map(([name, description]) => [name, { description, schema: integer }]),
);
const retryAfter = { "Retry-After": { description: "Seconds until a retry makes sense.", schema: integer } };

const idempotencyHeader = {
  name: "Idempotency-Key",
  in: "header" as const,
  description: "A retry with the same key within 24 hours gets the same answer and has no effect of its own.",
  schema: { type: "string" as const, maxLength: 255 },
};

function describe(described: Described, isPublic: boolean, isPost: boolean, documented: boolean) {
  const { summary, tag, body, answer, errors } = described;
  return {
    parse: "none" as const,
    detail: {
      // Not `hide: false`: the key itself would stand in the document.
      ...(documented ? {} : { hide: true }),
      summary,
      tags: [tag],
      ...(isPublic ? { security: [] } : {}),
      ...(isPost ? { parameters: [idempotencyHeader] } : {}),
      ...(body ? { requestBody: { required: true, ...json(body) } } : {}),
      responses: {
        200: {
          description: "OK",
          headers: limitHeaders,
          content: {
            ...json(answer).content,
            ...(described.streams ? { "text/event-stream": { schema: { type: "string" as const } } } : {}),
          },
        },
        ...Object.fromEntries(
          errors.map((status) => [status, { headers: limitHeaders, ...errorOf(MEANING[status]) }]),
        ),
        429: { headers: { ...limitHeaders, ...retryAfter }, ...errorOf("Too many requests.") },
        503: {
          headers: { ...limitHeaders, ...retryAfter },
          ...errorOf("A part that the answer depends on is away; try again."),
        },
      },
    },
  };
}

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

/** A refusal is an answer as well, and a retry gets it again; what is not the caller's doing stays an error. */
async function refusalOf(error: unknown): Promise<StoredAnswer> {
  const failure = toServiceError(error);
  if (failure.status >= 500) throw error;
  const response = toResponse(failure);
  return { status: response.status, body: await response.text() };
}

async function serve<C extends PublicCall>(
  services: Services,
  visit: Visit,
  complete: (call: PublicCall) => C,
  scope: string,
  run: (services: Services, call: C) => Promise<object>,
): Promise<Response> {
  const { request, set } = visit;
  const key = request.method === "POST" ? request.headers.get("idempotency-key") : null;
  if (key === null) return Response.json(await run(services, complete(callOf(services, visit, undefined))));
  const first = callOf(services, visit, undefined);
  const { pathname } = first.url;
  const answer = await services.idempotency.run(
    {
      scope: `${scope} ${request.method} ${pathname.replace(/^\/api(?=\/v1\/)/, "")}`,
      key,
      body: await first.text(),
    },
    async (store) => {
      const call = complete(callOf(services, visit, store, first));
      try {
        return { status: 200, body: JSON.stringify(await run(services, call)) };
      } catch (error) {
        return refusalOf(error);
      }
    },
  );
  if (answer.replayed) set.headers["idempotent-replayed"] = "true";
  return new Response(answer.replayed ? answeredText(services.config, answer.body) : answer.body, {
    status: answer.status,
    headers: { "Content-Type": "application/json;charset=utf-8" },
  });
}

type Run<C> = (services: Services, call: C) => Promise<object>;

/** @param visitor the address to count by */
type Stream = (services: Services, call: PublicCall, visitor: string) => Promise<Response>;

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
    return response;
  };
  // Named one by one: the router prepares no more than a handler names.
  return ({ request, params, set, server, route }: Matched): Promise<Response> => {
    // A route without parameters has none at all.
    const visit = { request, params: params ?? {}, set, server, route, startedAt: performance.now() };
    return inRequest.run({ requestId: String(set.headers["x-request-id"]) }, visited, visit);
  };
}

/** Makes routes of operations: `[handler, options]`, to be spread into the router's verbs. */
export function operationsOf(services: Services, documented: boolean) {
  const { admission, networks } = services;
  const withKey = (run: Run<Call>, { limit, needs }: Described, usual: Power) => {
    const demand = { power: needs ?? usual, ...(limit === undefined ? {} : { endpoint: limit }) };
    return handler(services, async (visit) => {
      const caller = await admission.byKey(visit, demand);
      const network = networks.of(caller.mode);
      return serve(network, { ...visit, caller }, (call) => ({ ...call, caller }), caller.merchantId, run);
    });
  };
  const open = (run: Run<PublicCall>) =>
    handler(services, async (visit) => {
      await admission.byAddress(visit);
      const network = await networks.holding(services, visit.params.intentId);
      return serve(network, visit, (call) => call, "public", run);
    });
  const openOrStream = (run: Run<PublicCall>, stream: Stream) => {
    const answer = open(run);
    const streamed = handler(services, async (visit) => {
      await admission.byAddress(visit);
      // Nothing may happen to a payment for longer than a server waits for a usual answer.
      visit.server?.timeout(visit.request, 0);
      const network = await networks.holding(services, visit.params.intentId);
      return stream(network, callOf(network, visit, undefined), admission.visitorOf(visit));
    });
    return (matched: Matched) =>
      matched.request.headers.get("accept")?.includes("text/event-stream")
        ? streamed(matched)
        : answer(matched);
  };
  return {
    get: (run: Run<Call>, described: Described) =>
      [withKey(run, described, "read"), describe(described, false, false, documented)] as const,
    post: (run: Run<Call>, described: Described) =>
      [withKey(run, described, "write"), describe(described, false, true, documented)] as const,
    publicGet: (run: Run<PublicCall>, described: Described) =>
      [open(run), describe(described, true, false, documented)] as const,
    publicGetOrStream: (run: Run<PublicCall>, stream: Stream, described: Described) =>
      [
        openOrStream(run, stream),
        describe({ ...described, streams: true }, true, false, documented),
      ] as const,
    publicPost: (run: Run<PublicCall>, described: Described) =>
      [open(run), describe(described, true, true, documented)] as const,
  };
}
