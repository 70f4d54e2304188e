// Describes an operation for the OpenAPI document, from the same schemas that check it.
import type { TSchema } from "@sinclair/typebox";

type Described = {
  summary: string;
  tag: string;
  body?: TSchema;
  answer: TSchema;
  /** Status codes that this operation answers besides 200. */
  errors: (400 | 401 | 403 | 404)[];
  public?: boolean;
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

/** Route options; the body is read by the operation itself, in the order of checks that the spec wants. */
export function operation(described: Described, documented: boolean) {
  const { summary, tag, body, answer, errors } = described;
  return {
    parse: "none" as const,
    detail: {
      hide: !documented,
      summary,
      tags: [tag],
      ...(described.public ? { security: [] } : {}),
      ...(body ? { requestBody: { required: true, ...json(body) } } : {}),
      responses: {
        200: { description: "OK", ...json(answer) },
        ...Object.fromEntries(errors.map((status) => [status, errorOf(MEANING[status])])),
        503: errorOf("A part that the answer depends on is away; try again."),
      },
    },
  };
}
