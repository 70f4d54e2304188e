// Serves the guides at /docs, without external resources.
import { Elysia } from "elysia";
import { unknownRoute } from "#core/errors.ts";
import { loadGuides } from "./load-guides.ts";
import { showHits, showPage } from "./page.ts";
import { searchGuides } from "./search-guides.ts";

const STYLE = Bun.file(new URL("guides.css", import.meta.url));

const HEADERS = {
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
};

const guides = loadGuides();
const sections = guides.flatMap((guide) => guide.sections);

const html = (body: string): Response =>
  new Response(body, { headers: { ...HEADERS, "Content-Type": "text/html; charset=utf-8" } });

const pages = new Map(guides.map((guide) => [guide.slug, showPage(guides, guide)]));

type Visited = { request: Request; path: string };

function answerPage(slug: string, { request, path }: Visited): Response {
  const page = pages.get(slug);
  if (page === undefined) throw unknownRoute(request.method, path);
  return html(page);
}

export const guidePages = new Elysia()
  .get("/docs", (visited) => answerPage("", visited))
  .get(
    "/docs/guides.css",
    () => new Response(STYLE, { headers: { ...HEADERS, "Content-Type": "text/css; charset=utf-8" } }),
  )
  .get("/docs/search", ({ query }) => {
    const asked = typeof query.q === "string" ? query.q.slice(0, 100) : "";
    const found = showHits(asked, searchGuides(sections, asked), guides);
    return html(showPage(guides, { title: "Search", html: found, query: asked }));
  })
  .get("/docs/:guide", (visited) => answerPage(visited.params.guide, visited));
