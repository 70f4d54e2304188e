// The API's reference for people at /docs/reference: Swagger UI from this server alone, so that it works without the internet.
import { Elysia } from "elysia";

const FILES = {
  script: Bun.file(new URL(import.meta.resolve("swagger-ui-dist/swagger-ui-bundle.js"))),
  style: Bun.file(new URL(import.meta.resolve("swagger-ui-dist/swagger-ui.css"))),
  icon: Bun.file(new URL(import.meta.resolve("swagger-ui-dist/favicon-32x32.png"))),
};

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Payment intents and escrow: API reference</title>
    <link rel="icon" href="/docs/favicon.png" />
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
    <script defer src="/docs/swagger-ui-bundle.js"></script>
    <script defer src="/docs/page.js"></script>
  </head>
  <body>
    <nav><a href="/docs">Guides</a></nav>
    <main id="reference"></main>
  </body>
</html>
`;

const SCRIPT = `SwaggerUIBundle({
  url: "/docs/json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;

/** Swagger UI sets styles inline and shows icons as data; nothing comes from, or goes to, anywhere else. */
const HEADERS = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
};

const answer = (body: string | Blob, type: string) => () =>
  new Response(body, { headers: { ...HEADERS, "Content-Type": `${type}; charset=utf-8` } });

export const referencePage = new Elysia()
  .get("/docs/reference", answer(PAGE, "text/html"))
  .get("/docs/page.js", answer(SCRIPT, "text/javascript"))
  .get("/docs/swagger-ui-bundle.js", answer(FILES.script, "text/javascript"))
  .get("/docs/swagger-ui.css", answer(FILES.style, "text/css"))
  .get("/docs/favicon.png", answer(FILES.icon, "image/png"));
