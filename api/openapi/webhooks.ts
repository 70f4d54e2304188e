// What the gateway sends to merchants, in the document: one webhook a type of event, signed (docs/webhooks.md).
import { toOpenAPISchema } from "@elysiajs/openapi";
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { EVENT_TYPES } from "#core/events/event-data.ts";
import { EVENT_KINDS } from "../events/schemas.ts";
import type { Json } from "./components.ts";
import { type Completed, type Operation, parameter, type Shared } from "./operations.ts";

const HEADERS = Type.Object({
  "webhook-id": Type.String({
    description: "The event's id: the same in every attempt, so that a receiver takes each event once.",
    examples: ["evt_01990a5e3c7e7000a1b2c3d4e5f60718"],
  }),
  "webhook-timestamp": Type.String({
    description: "When this attempt was made, in Unix seconds. Refuse what is too old.",
    pattern: "^\\d+$",
    examples: ["1767225600"],
  }),
  "webhook-signature": Type.String({
    description:
      "Signatures separated by spaces, one for each secret in force: `v1,` and the base64 HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}` (Standard Webhooks).",
    pattern: "^v1,\\S+( v1,\\S+)*$",
    examples: ["v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="],
  }),
});

const RESPONSES = {
  "2XX": { description: "The event was taken." },
  410: { description: "There is nobody any more: the endpoint is disabled." },
  default: { description: "Not taken: it is sent again, with growing pauses, for about a day." },
};

function findKind(type: string): keyof typeof EVENT_KINDS {
  const kind = type.replace(/\..*/, "");
  if (!(kind in EVENT_KINDS)) throw new Error(`There is no kind of event for ${type}.`);
  return kind as keyof typeof EVENT_KINDS;
}

export const webhooks: Json = Object.fromEntries(
  EVENT_TYPES.map((type) => [type, { $ref: `#/components/pathItems/${findKind(type)}` }]),
);

/** What the OpenAPI plugin makes of the events, as requests. */
const { paths: made } = toOpenAPISchema(
  Object.entries(EVENT_KINDS).reduce(
    (app, [kind, body]) => app.post(`/${kind}`, () => "", { headers: HEADERS, body }) as never,
    new Elysia(),
  ),
) as unknown as { paths: Record<string, { post: Operation }> };

/** One a kind of event: what is sent for its types differs by `type` alone. */
export const buildPathItems = (shared: Shared): Record<string, { post: Completed }> =>
  Object.fromEntries(
    Object.keys(EVENT_KINDS).map((kind) => {
      const { parameters = [], requestBody } = made[`/${kind}`]?.post ?? {};
      const schema = requestBody?.content["application/json"]?.schema ?? {};
      const content = { "application/json": { schema: shared.components.schema(schema) } };
      const post = {
        operationId: `receive_${kind}`,
        summary: `An event of the kind ${kind}`,
        description: "Sent to every endpoint of the merchant that wants it, signed (docs/webhooks.md).",
        tags: ["Events"],
        security: [],
        parameters: parameters.map((one) => parameter(shared, one)),
        requestBody: { required: true, content },
        responses: RESPONSES,
      };
      return [kind, { post }];
    }),
  );
