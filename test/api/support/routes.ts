// The application's routes, from the document that it serves: a new route joins every test that asks here.
import { expect } from "chai";
import type { RunningStack } from "../../support/shared-stack.ts";

type Parameter = { name: string; in: string };

export type OpenApiOperation = {
  security?: object[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
};

export type OpenApiDocument = {
  openapi: string;
  security?: object[];
  paths: Record<string, Record<string, OpenApiOperation>>;
};

export type Route = {
  method: string;
  /** As documented, below the base: `/payment-intents/{intentId}`. */
  template: string;
  /** Whether it can be called without a key. */
  public: boolean;
  takesBody: boolean;
  operation: OpenApiOperation;
};

export const originOf = ({ baseUrl }: RunningStack): string => new URL(baseUrl).origin;

export async function documentOf(stack: RunningStack): Promise<OpenApiDocument> {
  const response = await fetch(`${originOf(stack)}/docs/json`);
  expect(response.status).to.equal(200);
  return (await response.json()) as OpenApiDocument;
}

export function routesOf({ paths, security }: OpenApiDocument): Route[] {
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      template: path.replace(/^\/v1/, ""),
      public: (operation.security ?? security ?? []).length === 0,
      takesBody: operation.requestBody !== undefined,
      operation,
    })),
  );
  expect(routes.length).to.be.at.least(7);
  return routes;
}

/** The route's path with this intent in it, and something unknown for every other parameter. */
export const fill = ({ template }: Route, intentId: string): string =>
  template.replaceAll("{intentId}", intentId).replace(/\{\w+\}/g, "unknown");
