// Serves the API reference: the OpenAPI document at /docs/json, and the OpenAPI plugin's Swagger UI at
// /docs/reference. The gateway also serves the files of Swagger UI, so that the reference works offline.
import { openapi, toOpenAPISchema } from "@elysiajs/openapi";
import { Elysia } from "elysia";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { completed, VERSION } from "./document.ts";

const REFERENCE = "/docs/reference";
const HIDDEN = { detail: { hide: true } };

/**
 * Generates the document without a server, database or chain, because services are only used when a request
 * arrives.
 */
export function openApiDocument() {
  const { paths } = toOpenAPISchema(new Elysia().use(routes("/v1", {} as Services)));
  return completed(paths as never);
}

/** Serves a file of Swagger UI. Bun determines the media type from the file's name. */
const file = (name: string) => {
  const content = Bun.file(new URL(import.meta.resolve(`swagger-ui-dist/${name}`)));
  return () => new Response(content);
};

/**
 * Builds the Content-Security-Policy. It allows the inline styles and data URIs that Swagger UI uses, and no
 * connections to other origins.
 */
const buildPolicy = (page: string): string => {
  const [, script = ""] = /<script>([\s\S]*?)<\/script>/.exec(page) ?? [];
  const hash = new Bun.CryptoHasher("sha256").update(script).digest("base64");
  return (
    `default-src 'none'; script-src 'self' 'sha256-${hash}'; style-src 'self' 'unsafe-inline'; ` +
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  );
};

export const documentation = () =>
  new Elysia({ name: "documentation" })
    .onAfterHandle(async ({ path, responseValue, set }) => {
      if (path !== REFERENCE || !(responseValue instanceof Response)) return;
      set.headers["content-security-policy"] = buildPolicy(await responseValue.clone().text());
      set.headers["referrer-policy"] = "no-referrer";
    })
    .get("/docs/swagger-ui-bundle.js", file("swagger-ui-bundle.js"), HIDDEN)
    .get("/docs/swagger-ui.css", file("swagger-ui.css"), HIDDEN)
    .get("/docs/favicon.png", file("favicon-32x32.png"), HIDDEN)
    .use(
      openapi({
        path: REFERENCE,
        specPath: "/docs/json",
        provider: "swagger-ui",
        // Makes the page dynamic. A static page would become a Bun route, and the guides' /docs/:guide would
        // take precedence.
        embedSpec: true,
        documentation: openApiDocument() as never,
        openapiVersion: VERSION,
        exclude: { paths: /^(?!\/v1\/)/ },
        swagger: {
          cdn: "/docs/swagger-ui-bundle.js",
          theme: "/docs/swagger-ui.css",
          autoDarkMode: false,
          url: "/docs/json",
          docExpansion: "list",
          defaultModelsExpandDepth: 0,
          validatorUrl: null,
          deepLinking: true,
        } as never,
      }),
    );
