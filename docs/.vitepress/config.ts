// The documentation as a static site (`npm run docs`): every Markdown file of the repository, with its links as they are.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import { insertFiles, showSourcePaths } from "./markdown.ts";
import { sidebar } from "./sidebar.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

export default defineConfig({
  title: "Delivery versus payment",
  description: "A stablecoin payment gateway: REST in, escrow on chain, fiat out, exactly once.",
  srcDir: "..",
  srcExclude: ["**/node_modules/**", ".github/**", "**/CHANGELOG.md"],
  rewrites: (page) => page.replace(/README\.md$/, "index.md"),
  outDir: join(root, ".data/docs"),
  cacheDir: join(root, ".data/docs-cache"),
  cleanUrls: true,
  // Pages of a running gateway; every other link is checked.
  ignoreDeadLinks: ["/docs/reference", /^https?:\/\/localhost/],
  markdown: {
    html: false,
    config(markdown) {
      insertFiles(markdown, root);
      showSourcePaths(markdown, root);
    },
  },
  themeConfig: {
    sidebar: sidebar(root),
    outline: [2, 3],
    search: { provider: "local" },
  },
});
