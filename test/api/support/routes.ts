// The application's routes, from the document that it serves, so that a new route is covered by every test that
// iterates over them.
import { expect } from "chai";
import type { OpenApiDocument, Operation } from "../../support/openapi-document.ts";
import type { RunningStack } from "../../support/shared-stack.ts";

export type Route = {
  method: string;
  /** As documented, below the base: `/payment-intents/{intentId}`. */
  template: string;
  /** Whether it can be called without a key. */
  public: boolean;
  /** Whether it accepts a key; otherwise it is for dashboard users. */
  forKeys: boolean;
  takesBody: boolean;
  operation: Operation;
};

export const originOf = ({ baseUrl }: RunningStack): string => new URL(baseUrl).origin;

export async function documentOf(stack: RunningStack): Promise<OpenApiDocument> {
  const response = await fetch(`${originOf(stack)}/docs/json`);
  expect(response.status).to.equal(200);
  return (await response.json()) as OpenApiDocument;
}

export function routesOf({ paths }: OpenApiDocument): Route[] {
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      template: path.replace(/^\/v1/, ""),
      public: (operation.security ?? []).length === 0,
      forKeys: (operation.security ?? []).some((scheme) => "apiKey" in scheme),
      takesBody: operation.requestBody !== undefined,
      operation,
    })),
  );
  expect(routes.length).to.be.at.least(7);
  return routes;
}

/** The route's path with this intent, and an unknown value for every other parameter. */
export const fill = ({ template }: Route, intentId: string): string =>
  template.replaceAll("{intentId}", intentId).replace(/\{\w+\}/g, "unknown");
