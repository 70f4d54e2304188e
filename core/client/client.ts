// A typed client of the API: its paths, parameters, bodies and answers have the types of the OpenAPI document, so that
// a misspelt field is a type error. For the demo, the tests and the web pages.
import createClient, { type FetchResponse, type MaybeOptionalInit } from "openapi-fetch";
import type { HttpMethod, PathsWithMethod } from "openapi-typescript-helpers";
import type { components, paths } from "./schema.ts";

export type Schemas = components["schemas"];

/** What a request takes besides its path; nothing where nothing is required. */
type Init<Path extends keyof paths, Method extends HttpMethod> =
  undefined extends MaybeOptionalInit<paths[Path], Method>
    ? [init?: MaybeOptionalInit<paths[Path], Method>]
    : [init: MaybeOptionalInit<paths[Path], Method>];

/** The library's own type takes any further field. */
type Call<Method extends HttpMethod> = <Path extends PathsWithMethod<paths, Method>>(
  path: Path,
  ...init: Init<Path, Method>
) => Promise<
  FetchResponse<paths[Path][Method] & Record<string | number, unknown>, object, "application/json">
>;

export type GatewayClient = { GET: Call<"get">; POST: Call<"post">; DELETE: Call<"delete"> };

export type ClientOptions = {
  /** As the gateway tells it, with the version at its end: `https://pay.example.com/v1`. */
  baseUrl: string;
  /** Public operations need none. */
  apiKey?: string | undefined;
  /** Sends the requests instead of the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
};

export const createGatewayClient = ({ baseUrl, apiKey, fetch }: ClientOptions): GatewayClient =>
  createClient<paths, "application/json">({
    // The document's paths begin with the version.
    baseUrl: baseUrl.replace(/\/v1\/?$/, ""),
    ...(apiKey === undefined ? {} : { headers: { "X-API-Key": apiKey } }),
    ...(fetch === undefined ? {} : { fetch }),
  }) as unknown as GatewayClient;
