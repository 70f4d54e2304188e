// One operation as a route: who may call it, how often, once or again; and its description for the OpenAPI document,
// from the same schemas that check it.
import type { TSchema } from "@sinclair/typebox";
import type { Services } from "../services.ts";
import { readText } from "./body.ts";
import type { Call, PublicCall } from "./call.ts";
import { toResponse, toServiceError } from "./errors.ts";
import type { StoreAnswer, StoredAnswer } from "./idempotency.ts";

export type ErrorStatus = 400 | 401 | 403 | 404;

type Described = {
  summary: string;
  tag: string;
  body?: TSchema;
  answer: TSchema;
  /** Status codes that this operation answers besides 200. */
  errors: ErrorStatus[];
};

/** What the router gives to a handler. */
type Matched = {
  request: Request;
  params: Record<string, string>;
  set: { headers: Record<string, unknown> };
};

const MEANING = {
  400: "The request is not valid, or the state does not allow it.",
  401: "No API key.",
  403: "The API key is not valid, or the intent belongs to another merchant.",
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
        200: { description: "OK", ...json(answer) },
        ...Object.fromEntries(errors.map((status) => [status, errorOf(MEANING[status])])),
        503: errorOf("A part that the answer depends on is away; try again."),
      },
    },
  };
}

function callOf({ request, params }: Matched, store: StoreAnswer | undefined): PublicCall {
  let text: Promise<string> | undefined;
  return {
    request,
    params,
    url: new URL(request.url),
    text: () => {
      text ??= readText(request);
      return text;
    },
    async answer(tx, answer) {
      await store?.(tx, { status: 200, body: JSON.stringify(answer) });
      return answer;
    },
  };
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
  matched: Matched,
  complete: (call: PublicCall) => C,
  scope: string,
  run: (services: Services, call: C) => Promise<object>,
): Promise<Response> {
  const { request, set } = matched;
  const key = request.method === "POST" ? request.headers.get("idempotency-key") : null;
  if (key === null) return Response.json(await run(services, complete(callOf(matched, undefined))));
  const first = callOf(matched, undefined);
  const { pathname } = first.url;
  const answer = await services.idempotency.run(
    {
      scope: `${scope} ${request.method} ${pathname.replace(/^\/api(?=\/v1\/)/, "")}`,
      key,
      body: await first.text(),
    },
    async (store) => {
      const call = complete({ ...callOf(matched, store), text: first.text });
      try {
        return { status: 200, body: JSON.stringify(await run(services, call)) };
      } catch (error) {
        return refusalOf(error);
      }
    },
  );
  if (answer.replayed) set.headers["idempotent-replayed"] = "true";
  return new Response(answer.body, {
    status: answer.status,
    headers: { "Content-Type": "application/json;charset=utf-8" },
  });
}

/** Makes routes of operations: `[handler, options]`, to be spread into the router's verbs. */
export function operationsOf(services: Services, documented: boolean) {
  const withKey =
    (run: (services: Services, call: Call) => Promise<object>) =>
    async (matched: Matched): Promise<Response> => {
      const caller = await services.authenticate(matched.request);
      return serve(services, matched, (call) => ({ ...call, caller }), caller.merchantId, run);
    };
  const open = (run: (services: Services, call: PublicCall) => Promise<object>) => (matched: Matched) =>
    serve(services, matched, (call) => call, "public", run);
  return {
    get: (run: (services: Services, call: Call) => Promise<object>, described: Described) =>
      [withKey(run), describe(described, false, false, documented)] as const,
    post: (run: (services: Services, call: Call) => Promise<object>, described: Described) =>
      [withKey(run), describe(described, false, true, documented)] as const,
    publicGet: (run: (services: Services, call: PublicCall) => Promise<object>, described: Described) =>
      [open(run), describe(described, true, false, documented)] as const,
    publicPost: (run: (services: Services, call: PublicCall) => Promise<object>, described: Described) =>
      [open(run), describe(described, true, true, documented)] as const,
  };
}
