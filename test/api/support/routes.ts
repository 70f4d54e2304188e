// The application's routes, read from the document that it serves. Every test that iterates over them covers new routes
// automatically.
import { expect } from "chai";
import type { OpenApiDocument, Operation } from "../../support/openapi-document.ts";
import type { RunningStack } from "../../support/shared-stack.ts";

export type Route = {
  method: string;
  /** The documented path below the base, such as `/payment-intents/{intentId}`. */
  template: string;
  /** Whether callers need no key. */
  public: boolean;
  /** Whether the route accepts a key. Otherwise it is for dashboard users only. */
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

/** Returns the route's path with this intent and an unknown value for every other parameter. */
export const fill = ({ template }: Route, intentId: string): string =>
  template.replaceAll("{intentId}", intentId).replace(/\{\w+\}/g, "unknown");
