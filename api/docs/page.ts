// The layout of a guide page: navigation, search and content. It works without scripts.
import type { Guide } from "./load-guides.ts";
import type { Hit } from "./search-guides.ts";

export const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const buildAddress = (slug: string): string => (slug === "" ? "/docs" : `/docs/${slug}`);

function navigation(guides: readonly Guide[], present: string | undefined): string {
  const items = guides.map(
    ({ slug, title }) =>
      `<li><a href="${buildAddress(slug)}"${slug === present ? ' aria-current="page"' : ""}>${escapeHtml(title)}</a></li>`,
  );
  return `<nav aria-label="Guides"><ul>${items.join("")}<li><a href="/docs/reference">API reference</a></li></ul></nav>`;
}

type Content = { title: string; html: string; slug?: string; query?: string };

export const showPage = (guides: readonly Guide[], { title, html, slug, query = "" }: Content): string =>
  `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${escapeHtml(title)}</title>
    <link rel="icon" href="/docs/favicon.png" />
    <link rel="stylesheet" href="/docs/guides.css" />
  </head>
  <body>
    <a class="skip" href="#content">Skip to the content</a>
    <header>
      <a class="home" href="/docs">Payment gateway</a>
      <form role="search" action="/docs/search">
        <label for="q">Search the guides</label>
        <input id="q" name="q" type="search" maxlength="100" value="${escapeHtml(query)}" />
        <button>Search</button>
      </form>
    </header>
    <div class="columns">
      ${navigation(guides, slug)}
      <main id="content">
${html}
      </main>
    </div>
  </body>
</html>
`;

export function showHits(query: string, hits: readonly Hit[], guides: readonly Guide[]): string {
  const found = hits.map(({ section: { page, id, title }, excerpt }) => {
    const guide = guides.find(({ slug }) => slug === page)?.title ?? "";
    const of = title === guide ? "" : ` <span>${escapeHtml(guide)}</span>`;
    const link = `${buildAddress(page)}${id === "" ? "" : `#${id}`}`;
    return `<li><a href="${link}">${escapeHtml(title)}</a>${of}<p>${escapeHtml(excerpt)}</p></li>`;
  });
  const heading = query.trim() === "" ? "Search" : `Results for “${escapeHtml(query.trim())}”`;
  const none = query.trim() === "" ? "Type what you are looking for." : "Nothing was found. Try fewer words.";
  return `<h1>${heading}</h1>\n${found.length === 0 ? `<p>${none}</p>` : `<ol class="hits">${found.join("")}</ol>`}`;
}
