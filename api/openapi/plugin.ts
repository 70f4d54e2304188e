// The API's reference: /docs/json for programs, and /docs/reference for people: the OpenAPI plugin's Swagger UI, whose
// files come from this server, so that it works without the internet.
import { openapi, toOpenAPISchema } from "@elysiajs/openapi";
import { type AnyElysia, Elysia } from "elysia";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import type { Json } from "./components.ts";
import { completed, DOCUMENTATION } from "./document.ts";

const REFERENCE = "/docs/reference";

const VERSION = "3.1.2";
const HIDDEN = { detail: { hide: true } };
const EXCLUDED = { paths: /^(?!\/v1\/)/ };

function generateDocument(app: AnyElysia): Json {
  const { paths } = toOpenAPISchema(app, EXCLUDED);
  return completed({ ...DOCUMENTATION, openapi: VERSION, paths: paths as never });
}

/** A file of Swagger UI's; its media type follows from its name. */
const file = (name: string) => {
  const content = Bun.file(new URL(import.meta.resolve(`swagger-ui-dist/${name}`)));
  return () => new Response(content);
};

/** Swagger UI sets styles inline and shows icons as data; nothing comes from, or goes to, anywhere else. */
const buildPolicy = (page: string): string => {
  const [, script = ""] = /<script>([\s\S]*?)<\/script>/.exec(page) ?? [];
  const hash = new Bun.CryptoHasher("sha256").update(script).digest("base64");
  return (
    `default-src 'none'; script-src 'self' 'sha256-${hash}'; style-src 'self' 'unsafe-inline'; ` +
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  );
};

/** The plugin's own, of the routes of its parent: an instance for each application. */
export function documentation() {
  let document: string | undefined;
  return (
    new Elysia({ name: "documentation" })
      // Before any request: Elysia changes the schema of an answer when its route is first called.
      .onStart((app) => {
        document = JSON.stringify(generateDocument(app));
      })
      .onBeforeHandle(({ path }) =>
        path === "/docs/json" && document
          ? new Response(document, { headers: { "Content-Type": "application/json" } })
          : undefined,
      )
      .onAfterHandle(async ({ path, responseValue }) => {
        if (path !== REFERENCE || !(responseValue instanceof Response)) return undefined;
        const page = await responseValue.text();
        const headers = {
          "Content-Type": "text/html; charset=utf-8",
          "Content-Security-Policy": buildPolicy(page),
          "Referrer-Policy": "no-referrer",
        };
        return new Response(page, { headers });
      })
      .get("/docs/swagger-ui-bundle.js", file("swagger-ui-bundle.js"), HIDDEN)
      .get("/docs/swagger-ui.css", file("swagger-ui.css"), HIDDEN)
      .get("/docs/favicon.png", file("favicon-32x32.png"), HIDDEN)
      .use(
        openapi({
          path: REFERENCE,
          specPath: "/docs/json",
          provider: "swagger-ui",
          // A page that is no constant: constants are routes of Bun's own, which come after the guides' /docs/:guide.
          embedSpec: true,
          documentation: DOCUMENTATION,
          openapiVersion: VERSION,
          exclude: EXCLUDED,
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
      )
  );
}

/** No server, database or chain is needed: services are used when a request comes. */
export const openApiDocument = (): Json => generateDocument(new Elysia().use(routes("/v1", {} as Services)));
