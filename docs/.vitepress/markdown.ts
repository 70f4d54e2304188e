// What the documents mean where a forge shows a link: files of the repository inside the page.
import { existsSync, readFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import type { MarkdownRenderer } from "vitepress";

/** A paragraph that is only a link to such a file: `[title](snippets/…)` or `![title](pictures/…)`. */
const INSERTED = /^!?\[[^\]]*\]\(((?:snippets|pictures)\/[\w-]+\.(?:ts|sh|svg))\)$/;

/** Shows snippets as code and pictures inside the page, as the gateway's own `/docs` does. */
export function insertFiles(markdown: MarkdownRenderer, root: string): void {
  markdown.core.ruler.after("block", "insert-files", (state) => {
    for (const [index, token] of state.tokens.entries()) {
      const [, file] = (token.type === "inline" && INSERTED.exec(token.content)) || [];
      if (file === undefined) continue;
      const text = readFileSync(join(root, dirname(state.env.relativePath), file), "utf8").trim();
      const isPicture = file.endsWith(".svg");
      const inserted = new state.Token(isPicture ? "html_block" : "fence", "code", 0);
      inserted.content = isPicture ? `<figure v-pre>${text}</figure>` : text;
      inserted.info = extname(file).slice(1);
      inserted.block = true;
      state.tokens.splice(index - 1, 3, inserted);
    }
  });
}

/** Shows a link to source code or to a folder, which has no page here, as the path that it names, from the root. */
export function showSourcePaths(markdown: MarkdownRenderer, root: string): void {
  markdown.core.ruler.push("source-paths", ({ tokens, env }) => {
    for (const { children } of tokens) {
      for (const [index, token] of (children ?? []).entries()) {
        if (token.type !== "link_open") continue;
        const target = sourcePath(token.attrGet("href") ?? "", env.relativePath, root);
        if (target === undefined) continue;
        const close = children?.slice(index).find(({ type }) => type === "link_close");
        for (const one of [token, close]) if (one) one.tag = "span";
        token.attrs = [["title", target]];
        token.type = "source_open";
      }
    }
  });
}

/** @returns the path of a file or folder that is no page; undefined for everything else */
function sourcePath(href: string, page: string, root: string): string | undefined {
  if (/^([a-z]+:|#|\/)/.test(href)) return undefined;
  const [path = ""] = href.split("#");
  const target = join(dirname(page), path);
  return path === "" || path.endsWith(".md") || !existsSync(join(root, target)) ? undefined : target;
}
