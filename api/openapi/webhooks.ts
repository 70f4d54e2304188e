// The gateway's webhooks in the document: one webhook per event type (docs/webhooks.md).
import { unwrapSchema } from "@elysiajs/openapi/openapi";
import { EVENT_TYPES } from "#core/model/event-data.ts";
import { EVENT_KINDS } from "../events/schemas.ts";
import type { Json } from "./components.ts";

const header = (name: string, description: string, example: string, pattern?: string): Json => ({
  ...{ name, in: "header", required: true, description },
  schema: { type: "string", pattern },
  example,
});

const PARAMETERS = [
  header(
    "webhook-id",
    "The event's id. It is the same in every attempt, so that a receiver can deduplicate events.",
    "evt_01990a5e3c7e7000a1b2c3d4e5f60718",
  ),
  header(
    "webhook-timestamp",
    "When this attempt was made, in Unix seconds. Reject old timestamps.",
    "1767225600",
    "^\\d+$",
  ),
  header(
    "webhook-signature",
    "Signatures separated by spaces, one for each secret in force: `v1,` and the base64 HMAC-SHA256 over " +
      "`{webhook-id}.{webhook-timestamp}.{body}` (Standard Webhooks).",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    "^v1,\\S+( v1,\\S+)*$",
  ),
];

const RESPONSES = {
  "2XX": { description: "The event was accepted." },
  410: { description: "The receiver is gone: the endpoint is disabled." },
  default: {
    description: "Not accepted: retried with increasing delays for about a day.",
  },
};

/** Builds one path item per kind of event, because the events of a kind differ only in `type`. */
export const buildPathItems = () =>
  Object.fromEntries(
    Object.entries(EVENT_KINDS).map(([kind, schema]) => {
      const post = {
        operationId: `receive_${kind}`,
        summary: `An event of the kind ${kind}`,
        description:
          "Sent, signed, to every webhook endpoint that subscribes to the type (docs/webhooks.md).",
        tags: ["Events"],
        security: [],
        parameters: PARAMETERS,
        requestBody: { required: true, content: { "application/json": { schema: unwrapSchema(schema) } } },
        responses: RESPONSES,
      };
      return [kind, { post }];
    }),
  );

export const WEBHOOKS = Object.fromEntries(
  EVENT_TYPES.map((type) => [type, { $ref: `#/components/pathItems/${type.replace(/\..*/, "")}` }]),
);
