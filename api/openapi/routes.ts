// The routes of /v1 as the document needs them: what the router's OpenAPI plugin makes of them, and what they declare.
import { toOpenAPISchema } from "@elysiajs/openapi";
import type { TSchema } from "@sinclair/typebox";
import type { AccessRequirement } from "../http/authenticate.ts";
import { NoBody } from "../http/body.ts";
import type { Described } from "../http/describe.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import type { Json } from "./json-schemas.ts";

export type Operation = Omit<Described, "id" | "tag" | "summary" | "description"> & {
  method: "GET" | "POST" | "DELETE" | "PATCH";
  /** As the document has it, such as `/v1/payment-intents/{intentId}`. */
  path: string;
  access: AccessRequirement | "public";
  body?: TSchema;
  answer: TSchema;
  /** What the plugin says of it: its id, summary, description and tags. */
  documented: { operationId: string; summary: string; description?: string; tags: string[] };
};

/** Whether it takes an Idempotency-Key. */
export const isReplayable = ({ method }: Operation): boolean => method === "POST" || method === "PATCH";

type Detail = { "x-described": Described; "x-access": Operation["access"] };

/** No server, database or chain is needed: services are used when a request comes. */
export function documentedOperations(): Operation[] {
  const app = routes("/v1", {} as Services);
  const { paths } = toOpenAPISchema(app as never) as unknown as {
    paths: Record<string, Record<string, Json>>;
  };
  return app.routes.map(({ method, path: pattern, hooks }) => {
    const path = pattern.replace(/:(\w+)/g, "{$1}");
    const operation = paths[path]?.[method.toLowerCase()];
    const detail = hooks.detail as unknown as Detail;
    const { operationId, summary, description, tags } = operation as Operation["documented"];
    const { body, response } = hooks as { body?: TSchema; response: TSchema };
    return {
      ...detail["x-described"],
      method: method as Operation["method"],
      path,
      access: detail["x-access"],
      ...(body && body !== NoBody ? { body } : {}),
      answer: response,
      documented: { operationId, summary, ...(description === undefined ? {} : { description }), tags },
    };
  });
}
