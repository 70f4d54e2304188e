// Loads and renders the guides in docs/guides. README.md is the first page, and the order of its links is the
// order of the guides. A line that contains only a link to a file in snippets/ or an image in pictures/ is
// replaced with the content of the file, so that readers see the code that the test suite runs.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dir, "../../docs/guides");

export type Section = {
  /** The guide's name without its extension: `first-payment`. */
  page: string;
  /** The heading's id; empty for the text before the first heading. */
  id: string;
  title: string;
  /** Plain text, including code. */
  text: string;
};

export type Guide = { slug: string; title: string; html: string; sections: Section[] };

const SNIPPET = /^\[[^\]]*\]\(snippets\/([\w-]+\.(ts|sh))\)$/gm;
const PICTURE = /^!\[[^\]]*\]\(pictures\/([\w-]+\.svg)\)$/gm;

const read = (file: string): string => readFileSync(join(FOLDER, file), "utf8").trim();

function insertFiles(markdown: string): string {
  return markdown
    .replace(SNIPPET, (_, file: string, language: string) => {
      const text = read(`snippets/${file}`);
      return `<p class="file">${file}</p>\n\n\`\`\`${language}\n${text}\n\`\`\``;
    })
    .replace(PICTURE, (_, file: string) => {
      // A blank line would end the HTML block.
      return `<figure tabindex="0">${read(`pictures/${file}`).replace(/\n\s*\n/g, "\n")}</figure>`;
    });
}

const render = (markdown: string): string =>
  Bun.markdown
    .html(markdown, { headings: { ids: true } })
    .replace(/href="([\w-]+)\.md(#[\w-]+)?"/g, (_, slug: string, hash = "") =>
      slug === "README" ? `href="/docs${hash}"` : `href="/docs/${slug}${hash}"`,
    )
    .replace(/href="\.\.\/openapi\.json"/g, 'href="/docs/json"')
    // Makes wide content scroll separately on small screens, and focusable so that the keyboard can scroll it.
    .replaceAll("<pre>", '<pre tabindex="0">')
    .replaceAll("<table>", '<div class="wide" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>");

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

const toText = (html: string): string =>
  html
    .replace(/<[^>]*>/g, " ")
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => NAMED[name] ?? "")
    .replace(/\s+/g, " ")
    .trim();

function splitSections(page: string, title: string, html: string): Section[] {
  const [before = "", ...rest] = html.split(/(?=<h2 id=")/);
  const first = { page, id: "", title, text: toText(before.replace(/<h1[^>]*>.*?<\/h1>/, "")) };
  const others = rest.map((part) => {
    const [, id = "", heading = ""] = /^<h2 id="([^"]*)">(.*?)<\/h2>/s.exec(part) ?? [];
    return { page, id, title: toText(heading), text: toText(part.replace(/<h2[^>]*>.*?<\/h2>/s, "")) };
  });
  return [first, ...others];
}

function loadGuide(slug: string): Guide {
  const html = render(insertFiles(read(`${slug === "" ? "README" : slug}.md`)));
  const title = toText(/<h1[^>]*>(.*?)<\/h1>/s.exec(html)?.[1] ?? slug);
  return { slug, title, html, sections: splitSections(slug, title, html) };
}

/** Loads all guides. The slug of the first page is "". */
export function loadGuides(): Guide[] {
  const slugs = [...read("README.md").matchAll(/\]\(([\w-]+)\.md\)/g)].map(([, slug = ""]) => slug);
  return ["", ...new Set(slugs)].map(loadGuide);
}
